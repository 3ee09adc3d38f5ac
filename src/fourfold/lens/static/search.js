// Search: whatever is moved re-ranks at once; the address bar always holds what is shown.

import { UNANSWERED, part, put, say, warn } from "/static/lens.js";

const form = document.getElementById("ask");
const results = document.getElementById("results");
const controls = document.getElementById("controls");
const hidden = document.getElementById("weights");
const reset = document.getElementById("reset");
const sliders = [...form.querySelectorAll(".slider")].map((row) => ({
  row,
  range: row.querySelector("input[type=range]"),
  shown: row.querySelector("output"),
  pin: row.querySelector("input[type=checkbox]"),
}));

if (window.matchMedia("(max-width: 60rem)").matches) controls.open = false;

/** Return the address of what the form says, without what is as usual. */
function address(path = "/") {
  const params = new URLSearchParams();
  const rows = [];
  for (const row of form.querySelectorAll(".filter-row")) {
    const [key, operator, value] = ["fk", "fo", "fv"].map((name) => row.querySelector(`[name=${name}]`).value);
    if (key) rows.push([key, operator, value]);
  }
  for (const [name, value] of new FormData(form)) {
    if (["fk", "fo", "fv"].includes(name) || value === "") continue;
    if ((name === "k" && value === "10") || (name === "mode" && value === "hybrid")) continue;
    params.append(name, value);
  }
  for (const [key, operator, value] of rows) {
    params.append("fk", key);
    params.append("fo", operator);
    params.append("fv", value);
  }
  const query = params.toString();
  return query ? `${path}?${query}` : path;
}

let asking = false;
let waiting = false;
let moved = 0;

/** Ask again; while an answer is under way only the latest wish is kept. */
async function ask() {
  if (asking) {
    waiting = true;
    return;
  }
  asking = true;
  results.setAttribute("aria-busy", "true");
  const began = moved;
  const here = address();
  try {
    const html = await part(here + (here.includes("?") ? "&" : "?") + "fragment=1");
    put(results, html);
    window.history.replaceState(null, "", here);
    follow();
    if (began) requestAnimationFrame(() => setTimeout(() => timed(began), 0)); // after the frame is drawn
  } catch (error) {
    warn(UNANSWERED);
  }
  asking = false;
  results.removeAttribute("aria-busy");
  if (waiting) {
    waiting = false;
    ask();
  }
}

/** Note how long it took from a slider's move until its answer was on the screen. */
function timed(began) {
  performance.measure("lens:slider", { start: began, end: performance.now() });
}

/** Show the weights in force, where the intent chooses them, and tell the answer in one sentence. */
function follow() {
  const answer = results.querySelector(".answer");
  for (const link of document.querySelectorAll("header nav a")) {
    const path = new URL(link.href).pathname;
    if (["/", "/compare", "/judge"].includes(path)) link.href = address(path);
  }
  if (!answer) return;
  reset.disabled = !hidden.value;
  if (!hidden.value) {
    const weights = answer.dataset.weights.split(",").map(Number);
    sliders.forEach((slider, place) => show(slider, weights[place]));
  }
  const count = results.querySelectorAll(".hit").length;
  const changed = results.querySelectorAll(".hit:not(.same)").length;
  say(`${count} hits${changed ? `, ${changed} of them moved` : ""}.`);
}

function show(slider, value) {
  slider.range.value = value;
  slider.shown.textContent = Number(value).toFixed(2);
  slider.range.setAttribute("aria-valuetext", Number(value).toFixed(2));
}

/** Let the other sliders, those that are not pinned, share what one leaves of the sum of 1. */
function balance(chosen) {
  const others = sliders.filter((slider) => slider !== chosen && !slider.pin.checked);
  const pinned = sliders.filter((slider) => slider !== chosen && slider.pin.checked);
  const kept = pinned.reduce((sum, slider) => sum + Number(slider.range.value), 0);
  const most = Math.max(0, 1 - kept);
  const value = Math.min(Number(chosen.range.value), most);
  show(chosen, others.length ? value : most);
  const left = Math.max(0, most - value);
  const sum = others.reduce((total, slider) => total + Number(slider.range.value), 0);
  for (const slider of others) show(slider, sum ? (Number(slider.range.value) / sum) * left : left / others.length);
  hidden.value = sliders.map((slider) => Number(slider.range.value).toFixed(2)).join(",");
}

for (const slider of sliders) {
  slider.range.addEventListener("input", () => {
    moved = performance.now();
    balance(slider);
    ask();
  });
  slider.pin.addEventListener("change", () => {
    document.getElementById("pin").value = sliders
      .filter((each) => each.pin.checked)
      .map((each) => each.pin.value)
      .join(",");
    window.history.replaceState(null, "", address());
  });
}

reset.addEventListener("click", () => {
  hidden.value = "";
  moved = 0;
  ask();
});

form.addEventListener("submit", (event) => {
  event.preventDefault();
  moved = 0;
  window.history.pushState(null, "", address());
  ask();
});

form.addEventListener("change", (event) => {
  if (event.target.closest(".slider") || event.target.id === "q") return;
  if (event.target.name === "fk") known(event.target.value);
  moved = 0;
  ask();
});

// -- the filter's rows ---------------------------------------------------------------------------------------------

/** Offer the values that a key has in this graph. */
async function known(key) {
  const list = document.getElementById("values");
  if (list.dataset.key === key) return;
  list.dataset.key = key;
  list.replaceChildren();
  if (!key) return;
  let values;
  try {
    const answer = await fetch(`/values?key=${encodeURIComponent(key)}`, { credentials: "same-origin" });
    ({ values } = await answer.json());
  } catch (error) {
    if (list.dataset.key === key) delete list.dataset.key; // they are asked for again with the next look at them
    return;
  }
  if (list.dataset.key === key) list.replaceChildren(...values.map((value) => new Option(value, value)));
}

form.addEventListener("focusin", (event) => {
  if (event.target.name === "fv") known(event.target.closest(".filter-row").querySelector("[name=fk]").value);
});

/** Offer the keys that this graph has: the first page of all does not wait for them. */
async function keys() {
  let found;
  try {
    const answer = await fetch("/keys", { credentials: "same-origin" });
    found = (await answer.json()).keys;
  } catch (error) {
    warn("The filter's keys could not be fetched; load the page again.");
    return;
  }
  for (const [key, label] of found) {
    for (const select of form.querySelectorAll("[name=fk]")) select.append(new Option(label, key));
    if (key !== "$type") document.getElementById("group_by").append(new Option(label, key));
  }
}

if (form.dataset.keys === "later") keys();

const rows = document.getElementById("filter-rows");

document.getElementById("add-row").addEventListener("click", () => {
  const row = rows.lastElementChild.cloneNode(true);
  row.querySelector("[name=fk]").value = "";
  row.querySelector("[name=fv]").value = "";
  rows.append(row);
  row.querySelector("[name=fk]").focus();
});

rows.addEventListener("click", (event) => {
  if (!event.target.matches(".remove")) return;
  const row = event.target.closest(".filter-row");
  if (rows.children.length > 1) row.remove();
  else row.querySelectorAll("select[name=fk], input").forEach((field) => (field.value = ""));
  rows.querySelector("select").focus();
  ask();
});

results.addEventListener("click", (event) => {
  if (!event.target.matches("a.chip")) return; // the chip says how the question was read; this is where to change it
  event.preventDefault();
  controls.open = true;
  document.getElementById("intent").focus();
});

window.addEventListener("popstate", () => window.location.reload());
