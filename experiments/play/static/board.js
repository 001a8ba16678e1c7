// The picture of a seat, and what one can point at in it.
const SVG = "http://www.w3.org/2000/svg";
const LEAST = 16; // units of the drawing: the least size of what one points at

export class Board {
  // `choose` is called with the mark that was pointed at.
  constructor(place, frame, choose) {
    this.place = place;
    this.frame = frame;
    this.choose = choose;
    this.source = "";
    this.scale = 1;
    new ResizeObserver(() => this.#fit()).observe(frame);
  }

  draw(source) {
    if (source === this.source) return;
    this.source = source;
    this.place.innerHTML = source;
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
    this.scale = Math.min(4, Math.max(1, this.scale * factor));
    this.#fit();
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
    hint.addEventListener("click", () => this.choose(mark));
    hint.addEventListener("keydown", (event) => {
      if (!["Enter", " "].includes(event.key)) return;
      event.preventDefault();
      this.choose(mark);
    });
  }
}
