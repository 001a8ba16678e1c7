// A game's page: who plays, and which seats are free.
import { byId, element, post, sleep } from "./net.js";

const { code } = byId("game").dataset;
const WORDS = {
  preparing: "The rules are being prepared; the first time this may take minutes.",
  going: "", over: "The game is over.", broken: "The game is broken off.",
};
let last = "";

// Which seat this browser has is known to it alone.
const mine = () => {
  try { return JSON.parse(localStorage.getItem(`kgb ${code}`)) || {}; } catch { return {}; }
};

async function sit(seat) {
  try {
    const { url } = await post(`/game/${code}/sit`, { seat });
    localStorage.setItem(`kgb ${code}`, JSON.stringify({ ...mine(), [seat]: url }));
    location.assign(url);
  } catch (error) {
    byId("error").textContent = error.message;
  }
}

function action({ seat, is_person, is_taken }) {
  const url = mine()[seat];
  if (url) return [element("a", "To your seat", { href: url, class: "button" })];
  if (!is_person) return [];
  if (is_taken) return [element("span", "taken", { class: "soft" })];
  const button = element("button", "Sit here", { type: "button", class: "main", "aria-label": `Sit in seat ${seat}` });
  button.addEventListener("click", () => sit(seat));
  return [button];
}

function draw({ status, seats }) {
  byId("status").textContent = WORDS[status];
  const rows = seats.map((seat) => element("li", [
    element("span", `${seat.seat}`, { class: `disc seat-${seat.seat}` }),
    element("span", seat.label, { class: "label" }), ...action(seat),
  ]));
  if (status === "over" || status === "broken") {
    rows.push(element("li", element("a", "Replay of the game", { href: `/game/${code}/replay`, download: "" })));
  }
  byId("seats").replaceChildren(...rows);
}

async function watch() {
  for (;;) {
    try {
      const response = await fetch(`/game/${code}/state`);
      if (response.status === 404) {
        byId("status").textContent = "This game is no longer on the server.";
        return;
      }
      const told = await response.text();
      if (told !== last) draw(JSON.parse(told));
      last = told;
    } catch { byId("status").textContent = "No connection; trying again."; last = ""; }
    await sleep(2);
  }
}

byId("address").value = location.href;
byId("address").addEventListener("focus", (event) => event.target.select());
window.addEventListener("pageshow", () => { last = ""; });
watch();
