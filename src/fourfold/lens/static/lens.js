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

/** Tell screen readers a sentence. */
export function say(sentence) {
  document.getElementById("said").textContent = sentence;
}

/** Fetch a part of a page; what failed comes as a sentence in the same form. */
export async function part(address, options = {}) {
  const answer = await fetch(address, { ...options, headers: { "X-Lens": "part" }, credentials: "same-origin" });
  return answer.text();
}

/** Put a part of a page, as the server wrote and escaped it, in the place of another. */
export function put(element, html) {
  const made = new DOMParser().parseFromString(html, "text/html");
  element.replaceChildren(...made.body.childNodes);
}
