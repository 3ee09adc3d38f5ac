// Judge with the keyboard: a key or a button keeps the judgement, and the next open hit is chosen.

import { put, say, send, warn } from "/static/lens.js";

const pool = document.getElementById("pool");
const rows = pool ? [...pool.querySelectorAll(".hit")] : [];
let here = -1;

function choose(place) {
  if (!rows[place]) return;
  here = place;
  rows.forEach((row, at) => row.classList.toggle("chosen", at === place));
  rows[place].focus();
  rows[place].scrollIntoView({ block: "nearest" });
}

function next(from, wanted) {
  const order = [...rows.keys()].map((step) => (from + 1 + step) % rows.length);
  return order.find((place) => rows[place].matches(wanted)) ?? -1;
}

/** Keep a judgement; tell whether it was taken. */
async function judge(place, grade) {
  const row = rows[place];
  const form = row?.querySelector("form.verdict");
  if (!form) return false;
  const body = new URLSearchParams({ form_token: pool.dataset.formToken, grade });
  const { ok, html } = await send(form.getAttribute("action"), body);
  if (!ok) {
    warn(new DOMParser().parseFromString(html, "text/html").body.textContent.trim());
    row.classList.add("failed");
    return false;
  }
  put(document.getElementById("judged"), html);
  row.classList.remove("judged-open", "judged-yes", "judged-no", "proposed", "failed");
  row.classList.add(grade > 0 ? "judged-yes" : "judged-no");
  row.querySelector(".yes").setAttribute("aria-pressed", String(grade > 0));
  row.querySelector(".no").setAttribute("aria-pressed", String(grade === 0));
  row.querySelector(".whyline .chip")?.remove();
  say(grade > 0 ? "Relevant." : "Not relevant.");
  return true;
}

pool?.addEventListener("submit", async (event) => {
  event.preventDefault();
  const place = rows.indexOf(event.target.closest(".hit"));
  await judge(place, Number(event.submitter.value));
  here = place;
});

document.addEventListener("keydown", async (event) => {
  if (!pool || event.ctrlKey || event.metaKey || event.altKey) return;
  if (event.target.closest("input, select, textarea, summary")) return;
  const focused = rows.indexOf(event.target.closest(".hit"));
  if (focused >= 0) here = focused;
  if (event.key === "j" || event.key === "ArrowDown") choose(Math.min(here + 1, rows.length - 1));
  else if (event.key === "k" || event.key === "ArrowUp") choose(Math.max(here - 1, 0));
  else if (event.key === "p") choose(next(here, ".proposed"));
  else if (event.key === "o" && here >= 0) rows[here].querySelector("h2 a")?.click();
  else if ((event.key === "r" || event.key === "n") && here >= 0) {
    const place = here;
    event.preventDefault();
    if (!(await judge(place, event.key === "r" ? 1 : 0))) return; // it is still to be judged
    const open = next(place, ".judged-open");
    choose(open >= 0 ? open : place);
    return;
  } else return;
  event.preventDefault();
});
