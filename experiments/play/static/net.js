// How the pages talk to the server, and make elements.

export async function post(path, content) {
  const response = await fetch(path, {
    method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(content),
  });
  const told = await response.json().catch(() => ({}));
  if (!response.ok) throw new Error(told.error || `the server answers ${response.status}`);
  return told;
}

export function element(tag, content = "", attributes = {}) {
  const made = document.createElement(tag);
  made.append(...[content].flat());
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  return made;
}

export const byId = (id) => document.getElementById(id);

export const sleep = (seconds) => new Promise((done) => setTimeout(done, 1000 * seconds));
