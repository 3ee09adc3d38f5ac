// What every page does: "/" goes to the question, and parts of pages are fetched as the server wrote them.

document.addEventListener("keydown", (event) => {
  if (event.key !== "/" || event.ctrlKey || event.metaKey || event.altKey) return;
  if (event.target.closest("input, select, textarea")) return;
  const question = document.getElementById("q");
  if (!question) return;
  event.preventDefault();
  question.focus();
  question.select();
});

const said = document.getElementById("said");

/** Tell screen readers a sentence. */
export function say(sentence) {
  said.className = "hidden";
  said.textContent = sentence;
}

/** Tell everybody what failed, until something is said again. */
export function warn(sentence) {
  said.className = "alert notice";
  said.textContent = sentence;
}

/** Fetch a part of a page; what failed comes as a sentence in the same form. */
export async function part(address, options = {}) {
  const answer = await fetch(address, { ...options, headers: { "X-Lens": "part" }, credentials: "same-origin" });
  return answer.text();
}

export const UNANSWERED = "The server does not answer. Is fourfold lens still running?";

/** Send a form; the part of a page that answers it, and whether that is what was asked for. */
export async function send(address, body) {
  try {
    const answer = await fetch(address, { method: "POST", body, headers: { "X-Lens": "part" } });
    return { ok: answer.ok, html: await answer.text() };
  } catch (error) {
    return { ok: false, html: `<div class="alert" role="alert"><p>${UNANSWERED}</p></div>` };
  }
}

/** Put a part of a page, as the server wrote and escaped it, in the place of another. */
export function put(element, html) {
  const made = new DOMParser().parseFromString(html, "text/html");
  element.replaceChildren(...made.body.childNodes);
}
