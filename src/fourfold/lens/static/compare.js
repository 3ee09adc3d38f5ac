// Side by side: choosing another way asks at once.

const form = document.getElementById("compare");
form.addEventListener("change", (event) => {
  if (event.target.matches("select")) form.requestSubmit();
});
