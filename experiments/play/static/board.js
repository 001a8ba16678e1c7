// The picture of a seat, and what one can point at in it.
const SVG = "http://www.w3.org/2000/svg";
const LEAST = 16; // units of the drawing: the least size of what one points at
const MOST_ZOOM = 8;
const READABLE = 16; // pixels: on narrow screens everything that can be pointed at has this size at first
const LEGIBLE = 0.6; // pixels a unit of the drawing: there all words can be read at first
const NARROW = 900; // pixels

// How large something is on the screen, in pixels, where it is narrowest.
const sizeOf = (marked) => {
  const { width, height } = marked.getBoundingClientRect();
  return Math.min(width, height);
};

export class Board {
  // `choose` is called with the mark that was pointed at, its size in pixels, and by what: mouse, touch, key.
  constructor(place, frame, choose) {
    this.place = place;
    this.frame = frame;
    this.choose = choose;
    this.source = "";
    this.scale = 0; // until there is a picture
    new ResizeObserver(() => this.#fit()).observe(frame);
  }

  draw(source) {
    if (source === this.source) return;
    this.source = source;
    this.place.innerHTML = source;
    if (this.svg && !this.scale) this.#begin();
    this.#fit();
    this.svg?.setAttribute("role", "group"); // with `img` nothing in it could be reached
  }

  get svg() {
    return this.place.querySelector("svg");
  }

  has(mark) {
    return this.#all(mark).length > 0;
  }

  // Show what can be pointed at now, and what was pointed at already.
  point(open, chosen) {
    const focused = document.activeElement?.dataset?.hint;
    this.svg?.querySelector(".hints")?.remove();
    for (const marked of this.place.querySelectorAll("[data-mark]")) {
      marked.classList.toggle("can", open.includes(marked.dataset.mark));
      marked.classList.toggle("chosen", chosen.includes(marked.dataset.mark));
    }
    if (!this.svg || !(open.length || chosen.length)) return;
    const hints = document.createElementNS(SVG, "g");
    hints.classList.add("hints");
    for (const mark of chosen) for (const marked of this.#all(mark)) hints.append(this.#hint(marked, mark, false));
    for (const mark of open) {
      for (const [n, marked] of this.#all(mark).entries()) hints.append(this.#hint(marked, mark, true, n === 0));
    }
    const area = (hint) => hint.getAttribute("width") * hint.getAttribute("height");
    hints.append(...[...hints.children].sort((one, other) => area(other) - area(one))); // the small ones on top
    this.svg.append(hints);
    if (focused) hints.querySelector(`[data-hint="${CSS.escape(focused)}"]`)?.focus();
  }

  zoom(factor) {
    const { frame } = this;
    const middle = [
      (frame.scrollLeft + frame.clientWidth / 2) / frame.scrollWidth,
      (frame.scrollTop + frame.clientHeight / 2) / frame.scrollHeight,
    ];
    this.scale = Math.min(MOST_ZOOM, Math.max(1, this.scale * factor));
    this.#fit();
    frame.scrollTo(
      middle[0] * frame.scrollWidth - frame.clientWidth / 2, middle[1] * frame.scrollHeight - frame.clientHeight / 2,
    );
  }

  // Scroll to the middle of some marks, if they are not in sight: one's own piece is among the places where it can go.
  show(marks) {
    const boxes = marks.flatMap((mark) => this.#all(mark ?? "").slice(0, 1)).map((found) => found.getBoundingClientRect());
    if (!boxes.length || this.scale <= 1) return;
    const frame = this.frame.getBoundingClientRect();
    const middle = (values) => values.sort((one, other) => one - other)[Math.floor(values.length / 2)];
    const x = middle(boxes.map((box) => box.left + box.width / 2)) - frame.left;
    const y = middle(boxes.map((box) => box.top + box.height / 2)) - frame.top;
    this.frame.scrollBy(x - frame.width / 2, y - frame.height / 2);
  }

  // On a narrow screen begin with a picture in which a finger finds things.
  #begin() {
    this.scale = 1;
    this.#fit();
    if (innerWidth > NARROW) return;
    const sizes = [...this.place.querySelectorAll("[data-mark]")].map(sizeOf);
    const unit = this.svg.getBoundingClientRect().width / this.svg.viewBox.baseVal.width;
    this.scale = Math.min(MOST_ZOOM, Math.max(1, READABLE / Math.min(Infinity, ...sizes), LEGIBLE / unit));
    this.#fit();
    const { frame } = this;
    frame.scrollTo((frame.scrollWidth - frame.clientWidth) / 2, (frame.scrollHeight - frame.clientHeight) / 2);
  }

  #fit() {
    const { svg } = this;
    if (!svg) return;
    const wide = svg.viewBox.baseVal.width;
    const width = Math.min(this.frame.clientWidth, 1.3 * wide) * this.scale;
    svg.setAttribute("width", width);
    svg.setAttribute("height", (width * svg.viewBox.baseVal.height) / wide);
  }

  #all(mark) {
    return [...this.place.querySelectorAll(`[data-mark="${CSS.escape(mark)}"]`)];
  }

  // A frame around an element that is marked, in the units of the whole drawing.
  #hint(marked, mark, isOpen, isFirst = false) {
    const box = marked.getBoundingClientRect();
    const back = this.svg.getScreenCTM().inverse();
    const corner = new DOMPoint(box.left, box.top).matrixTransform(back);
    const end = new DOMPoint(box.right, box.bottom).matrixTransform(back);
    const more = [Math.max(0, LEAST - (end.x - corner.x)) / 2, Math.max(0, LEAST - (end.y - corner.y)) / 2];
    const hint = document.createElementNS(SVG, "rect");
    const shape = {
      x: corner.x - more[0], y: corner.y - more[1], rx: 4,
      width: end.x - corner.x + 2 * more[0], height: end.y - corner.y + 2 * more[1],
    };
    for (const [name, value] of Object.entries(shape)) hint.setAttribute(name, value);
    hint.classList.add(isOpen ? "open" : "taken");
    hint.dataset.hint = mark;
    if (isOpen) this.#listen(hint, mark, isFirst);
    return hint;
  }

  #listen(hint, mark, isFirst) {
    hint.setAttribute("role", "button");
    hint.setAttribute("aria-label", mark);
    hint.setAttribute("tabindex", isFirst ? 0 : -1);
    hint.addEventListener("click", (event) => this.choose(mark, sizeOf(hint), event.pointerType || "mouse"));
    hint.addEventListener("keydown", (event) => {
      if (!["Enter", " "].includes(event.key)) return;
      event.preventDefault();
      this.choose(mark, Infinity, "key");
    });
  }
}
