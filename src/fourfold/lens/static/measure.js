// Measure and tune: what runs in the background is looked at twice a second, and forms stay on the page.

import { UNANSWERED, part, put, say, send, warn } from "/static/lens.js";

const place = document.getElementById("measure");

function running() {
  return place.firstElementChild?.dataset.running === "yes";
}

function watch() {
  if (running()) setTimeout(look, 500);
}

async function look() {
  try {
    show(await part("/measure?fragment=1"));
  } catch (error) {
    warn(UNANSWERED);
  }
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
  const made = document.createElement("div");
  put(made, html);
  event.target.after(made);
});

watch();
