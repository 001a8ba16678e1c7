// The lobby: shows the form of the chosen game, asks how many seats that makes, and begins the game.
import { byId, element, post } from "./net.js";

const forms = [...document.querySelectorAll("form.options")];
let asked = 0; // numbers the questions to the server: a late answer to an old one is passed over

const shown = () => forms.find((form) => !form.hidden);

function valueOf(field) {
  const { kind } = field.dataset;
  if (kind === "switch") return field.checked;
  if (kind === "sets") {
    const sets = [...field.querySelectorAll("[data-set]")];
    return sets.map((set) => [...set.querySelectorAll("input:checked")].map((box) => box.value));
  }
  if (field.value === "") return null;
  if (kind === "json") {
    try { return JSON.parse(field.value); } catch { return field.value; }
  }
  return kind === "choice" ? field.value : Number(field.value);
}

const fieldsOf = (form) => [...form.querySelectorAll("[data-kind]")];

// Only what was changed is sent: the others have defaults that may depend on it.
function optionsOf(form) {
  const changed = fieldsOf(form).map((field) => [field.name, valueOf(field)]);
  return Object.fromEntries(changed.filter(([name, value]) => JSON.stringify(value) !== form.defaults[name]));
}

function choose(id) {
  for (const form of forms) form.hidden = form.dataset.id !== id;
  const form = shown();
  form.querySelector(".presets").value = form.dataset.id;
  ask();
}

async function ask() {
  const form = shown();
  const number = ++asked;
  try {
    const told = await post("/check", { game: form.dataset.id, options: optionsOf(form) });
    if (number === asked) drawSeats(told);
  } catch (error) {
    if (number === asked) refuse(error);
  }
}

function refuse(error) {
  byId("error").textContent = error ? error.message : "";
  byId("create").disabled = Boolean(error);
}

function drawSeats({ seats, agents }) {
  refuse(null);
  const before = [...document.querySelectorAll("#seats select")].map((select) => select.value);
  const made = [...Array(seats).keys()].map((seat) => {
    const select = element("select", [
      element("option", "a person", { value: "" }), ...agents.map((name) => element("option", name)),
    ], { name: `seat ${seat}` });
    const wanted = before[seat] ?? (seat ? agents[0] : "");
    select.value = wanted === "" || agents.includes(wanted) ? wanted : agents[0];
    return element("p", element("label", [`seat ${seat} `, select]), { class: "field" });
  });
  byId("seats").replaceChildren(...made);
}

async function create() {
  const seats = [...document.querySelectorAll("#seats select")].map((select) => select.value || null);
  byId("create").disabled = true;
  try {
    const { url } = await post("/games", { game: shown().dataset.id, options: optionsOf(shown()), seats });
    location.assign(url);
  } catch (error) {
    refuse(error);
    byId("create").disabled = false;
  }
}

for (const form of forms) {
  form.defaults = Object.fromEntries(fieldsOf(form).map((field) => [field.name, JSON.stringify(valueOf(field))]));
  const presets = forms.filter((other) => other.dataset.game === form.dataset.game);
  form.querySelector(".presets").append(...presets.map(
    (other) => element("option", other.dataset.preset || "standard", { value: other.dataset.id }),
  ));
  form.addEventListener("submit", (event) => event.preventDefault());
  form.addEventListener("change", (event) => {
    if (event.target.classList.contains("presets")) choose(event.target.value);
    else ask();
  });
}
byId("games").addEventListener("change", (event) => choose(event.target.value));
byId("create").addEventListener("click", create);
window.addEventListener("pageshow", () => { byId("create").disabled = false; });
choose(document.querySelector("#games input:checked").value);
