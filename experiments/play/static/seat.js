// A seat's page: shows what the server says this seat may see, and sends moves.
import { byId, element, post, sleep } from "./net.js";
import { Board } from "./board.js";

const here = location.pathname.replace(/\/$/, "");
// What one may regret: it is never played by the first click.
const GRAVE = ["accuse", "vote", "name", "guess", "leave", "out", "expose", "surrender", "sabotage", "skip"];
const TOUCHED = 24; // pixels: something smaller is easily missed by a finger,
const POINTED = 12; // and by a mouse
const MOST_BUTTONS = 60; // moves of one verb; more of them are written instead
const NARROW = 900; // pixels: on narrower screens a keyboard would hide the picture
const WAITS = [1, 2, 4, 8]; // seconds between tries while there is no connection

let scene = null;
let chosen = []; // marks that were pointed at
let picked = null; // a move that is played as soon as it is confirmed
let sent = null; // the version of the scene in which a move was sent
let isOpen = false; // after the end: whether everything is shown

const movesOf = (shown) => shown.moves.map(([text, marks]) => ({ text, marks, verb: text.split(" ")[0] }));
const fits = (move) => move.marks.length >= chosen.length && chosen.every((mark, n) => move.marks[n] === mark);

const board = new Board(byId("picture"), byId("scroll"), (mark, size, hand) => {
  if (picked) cancel();
  chosen.push(mark);
  drawMoves(size < (hand === "mouse" && innerWidth > NARROW ? POINTED : TOUCHED));
});

// What is shown

function show(shown) {
  const before = scene;
  scene = shown;
  const isNew = !before || JSON.stringify(before.moves) !== JSON.stringify(shown.moves);
  if (isNew) {
    chosen = [];
    picked = null;
    byId("error").textContent = "";
    byId("text").value = "";
  }
  drawStatus();
  drawPicture();
  drawMoves();
  if (isNew && scene.moves) board.show(commonest(movesOf(scene)).map((move) => move.marks[0]));
  drawKnown();
  drawSeats();
  drawLog();
  drawEnd();
}

const isOver = () => ["over", "broken"].includes(scene.status);
const nameOf = (seat) => (seat === scene.seat ? "you" : `seat ${seat} (${scene.seats[seat].label})`);

function statusText() {
  if (scene.status === "preparing") return "The rules are being prepared; the first time this may take minutes.";
  if (scene.status === "broken") return scene.fault;
  if (scene.status === "over") return "The game is over.";
  if (scene.mover === scene.seat) return "It is your turn.";
  if (scene.mover === null) return "Others are to move.";
  const other = scene.seats[scene.mover];
  if (other.is_person) return `Seat ${scene.mover} is to move${other.is_taken ? "" : ", and is still free"}.`;
  return `Seat ${scene.mover} (${other.label}) is thinking.`;
}

function drawStatus() {
  byId("status").textContent = statusText();
  byId("due").textContent = isOver() ? "" : scene.due ?? "";
  if (scene.who) byId("who").textContent = scene.who;
  document.body.classList.toggle("mine", scene.moves?.length > 0);
  document.title = `${scene.moves?.length ? "Your turn - " : ""}${document.querySelector("header strong").textContent}`;
}

function drawPicture() {
  byId("reveal").hidden = !scene.open;
  board.draw(isOpen && scene.open ? scene.open : scene.svg ?? "");
  byId("drawn").textContent = scene.text ?? "";
}

function drawKnown() {
  byId("knowing").hidden = !scene.known;
  byId("known").innerHTML = scene.known ?? "";
}

function drawSeats() {
  byId("seats").replaceChildren(...scene.seats.map(({ seat, label, is_person, is_taken }) => {
    const free = is_person && !is_taken ? "free" : label;
    const note = [seat === scene.seat ? "you" : free, seat === scene.mover ? "to move" : ""].filter(Boolean).join(", ");
    return element("li", [element("span", `${seat}`, { class: `disc seat-${seat}` }), note]);
  }));
}

function drawLog() {
  const log = byId("log");
  const isAtEnd = log.scrollTop + log.clientHeight > log.scrollHeight - 30;
  log.replaceChildren(...(scene.log ?? []).map((line) => element("li", line)));
  if (isAtEnd) log.scrollTop = log.scrollHeight;
}

function drawEnd() {
  byId("end").hidden = !isOver();
  if (!isOver()) return;
  const parts = [element("h2", scene.result ? `The game is over: ${scene.result.reason}` : "The game is broken off")];
  if (scene.result) {
    parts.push(element("p", scene.result.meaning, { class: "soft" }));
    parts.push(element("table", [
      element("tr", [element("th", "seat"), element("th", "gets")]),
      ...scene.result.returns.map((got, seat) => element("tr", [
        element("td", nameOf(seat) + (scene.result.winners.includes(seat) ? " wins" : "")),
        element("td", `${got > 0 ? "+" : ""}${+got.toFixed(3)}`),
      ])),
    ]));
  } else parts.push(element("p", scene.fault));
  if (scene.note) parts.push(element("p", scene.note, { class: "error" }));
  if (scene.open) parts.push(element("p", element("a", "Replay of the game", { href: `${here}/replay`, download: "" })));
  byId("end").replaceChildren(...parts);
}

// Choosing a move

// `isSmall`: what was pointed at last is so small on the screen that another thing may be meant.
function drawMoves(isSmall = false) {
  const moves = scene.moves ? movesOf(scene) : [];
  byId("write").hidden = isOver() || !moves.length;
  const pointed = moves.filter((move) => move.marks.length && move.marks.every((mark) => board.has(mark)));
  const fitting = chosen.length ? pointed.filter(fits) : pointed;
  const complete = chosen.length ? fitting.filter((move) => move.marks.length === chosen.length) : [];
  const going = fitting.filter((move) => move.marks.length > chosen.length);
  if (complete.length === 1 && !going.length) {
    if (!isSmall && !isGrave(complete[0], moves)) {
      play(complete[0].text);
      return;
    }
    picked = complete[0].text;
  }
  board.point([...new Set(going.map((move) => move.marks[chosen.length]))], chosen);
  byId("task").textContent = scene.due ?? "";
  byId("hint").textContent = hintOf(moves, pointed, going);
  drawMenu(complete);
  drawButtons(moves.filter((move) => !pointed.includes(move)));
  if (moves.length > MOST_BUTTONS && !pointed.length && innerWidth > NARROW) byId("text").focus();
  byId("words").replaceChildren(...moves.map((move) => element("option", "", { value: move.text })));
}

// One click plays what is done most often; an accusation is asked for once more, and so is what is rare.
function isGrave(move, moves) {
  if (GRAVE.includes(move.verb) || GRAVE.includes(move.text.split(" ").at(-1))) return true;
  return chosen.length < 2 && !commonest(moves).some((other) => other.verb === move.verb);
}

// The moves whose verbs are the most frequent.
function commonest(moves) {
  const groups = [...groupBy(moves).values()];
  const most = Math.max(0, ...groups.map((group) => group.length));
  return groups.filter((group) => group.length === most).flat();
}

function hintOf(moves, pointed, going) {
  if (picked) return `${picked}: is this your move?`;
  if (chosen.length) return `${chosen.join(", ")}: ${going.length ? "click what comes next." : "is this your move?"}`;
  if (pointed.length === moves.length) return "Click what is marked in the picture.";
  return pointed.length ? "Click what is marked in the picture, or choose here." : "";
}

function button(text, act, kind = "") {
  const made = element("button", text, { type: "button", class: kind });
  made.addEventListener("click", (event) => event.detail < 2 && act()); // a double click is one
  return made;
}

function drawMenu(complete) {
  const offered = picked ? [picked] : complete.map((move) => move.text);
  const menu = offered.map((text) => button(`Play ${text}`, () => play(text), "main"));
  if (chosen.length || picked) menu.push(button("Cancel", cancel));
  byId("menu").replaceChildren(...menu);
  if (picked) menu[0].focus({ preventScroll: true });
}

function drawButtons(moves) {
  byId("buttons").replaceChildren(...[...groupBy(moves)].map(([verb, group]) => {
    if (group.length > MOST_BUTTONS) {
      const some = group[0].text.split(" ").slice(1).join(" ");
      return element("p", `Write what to ${verb}, as “${some}”: one of ${group.length.toLocaleString("en")} below.`);
    }
    return element("div", group.map((move) => button(move.text, () => pick(move))), { class: "choices" });
  }));
}

function groupBy(moves) {
  const groups = new Map();
  for (const move of moves) groups.set(move.verb, [...(groups.get(move.verb) ?? []), move]);
  return groups;
}

function pick(move) {
  const moves = movesOf(scene);
  chosen = [];
  picked = isGrave(move, moves) ? move.text : null;
  if (picked) drawMoves();
  else play(move.text);
}

function cancel() {
  if (!chosen.length && !picked) return;
  chosen = [];
  picked = null;
  drawMoves();
}

async function play(text) {
  if (sent === scene.version) return; // a second click while the first is on its way
  sent = scene.version;
  board.point([], []);
  byId("error").textContent = "";
  try {
    await post(`${here}/move`, { version: scene.version, move: text });
    byId("text").value = "";
  } catch (error) {
    byId("error").textContent = error.message;
    sent = null;
    chosen = [];
    picked = null;
    drawMoves();
  }
}

byId("write").addEventListener("submit", (event) => {
  event.preventDefault();
  if (byId("text").value.trim()) play(byId("text").value);
});
document.addEventListener("keydown", (event) => { if (event.key === "Escape") cancel(); });
byId("smaller").addEventListener("click", () => board.zoom(1 / 1.25));
byId("larger").addEventListener("click", () => board.zoom(1.25));
byId("as-text").addEventListener("click", (event) => {
  const isText = byId("drawn").hidden;
  byId("drawn").hidden = !isText;
  byId("picture").hidden = isText;
  event.target.setAttribute("aria-pressed", isText);
});
byId("reveal").addEventListener("click", (event) => {
  isOpen = !isOpen;
  event.target.setAttribute("aria-pressed", isOpen);
  drawPicture();
});

// News from the server

async function follow() {
  for (let failures = 0; ;) {
    try {
      const response = await fetch(`${here}/state${scene ? `?since=${scene.version}` : ""}`);
      if (response.status === 404) {
        byId("connection").textContent = "This game is no longer on the server.";
        byId("write").hidden = true;
        return;
      }
      if (response.status === 200) show(await response.json());
      else if (response.status !== 204) throw new Error(response.status);
      failures = 0;
      byId("connection").textContent = "";
      if (scene && isOver() && response.status === 204) await sleep(5);
    } catch (error) {
      console.info(error.message);
      byId("connection").textContent = "No connection; trying again.";
      await sleep(WAITS[Math.min(failures++, WAITS.length - 1)]);
    }
  }
}

follow();
