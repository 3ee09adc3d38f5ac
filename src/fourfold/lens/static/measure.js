// Measure and tune: what runs in the background is looked at twice a second, and forms stay on the page.

import { UNANSWERED, part, put, say, send, warn } from "/static/lens.js";

const place = document.getElementById("measure");

function running() {
  return place.firstElementChild?.dataset.running === "yes";
}

let next; // one look at a time, also where a form was sent between two

function watch(after = 500) {
  clearTimeout(next);
  if (running()) next = setTimeout(look, after);
}

async function look() {
  let html;
  try {
    html = await part("/measure?fragment=1");
  } catch (error) {
    warn(UNANSWERED);
    watch(2000); // what runs goes on, however long nobody could look
    return;
  }
  show(html);
}

function show(html) {
  const before = document.activeElement?.closest("form")?.getAttribute("action");
  const was = running();
  put(place, html);
  if (before) place.querySelector(`form[action="${before}"] button:not(:disabled)`)?.focus();
  if (was && !running()) say(place.querySelector(".running p")?.textContent ?? "Done.");
  watch();
}

place.addEventListener("submit", async (event) => {
  event.preventDefault();
  const body = new URLSearchParams(new FormData(event.target, event.submitter));
  const { ok, html } = await send(event.target.action, body);
  if (ok) return show(html);
  place.querySelector(".refused")?.remove();
  const made = document.createElement("div");
  made.className = "refused";
  put(made, html);
  event.target.after(made);
});

watch();
