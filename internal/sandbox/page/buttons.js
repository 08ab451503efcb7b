"use strict";
// What buttons do: copy, print, and what a person does in the back office of the service. Buttons come and go as the
// page follows the sandbox, so that the clicks are heard by the document.
(() => {
  const done = document.getElementById("done");

  function tell(text) {
    done.hidden = false;
    done.textContent = text;
  }

  async function copy(button) {
    try {
      await navigator.clipboard.writeText(button.dataset.copy);
    } catch {
      tell(done.dataset.denied);
      return;
    }
    const { copy } = button.dataset;
    tell(done.dataset.copied + ": " + (copy.length > 60 ? copy.slice(0, 60) + "…" : copy));
    button.classList.add("copied");
    setTimeout(() => button.classList.remove("copied"), 1500);
  }

  // A button of the back office names the control that it is for.
  function control(button) {
    if (button.dataset.asks && !confirm(button.dataset.asks)) return;
    const request = new XMLHttpRequest();
    request.open("POST", button.dataset.control);
    request.setRequestHeader("Content-Type", "application/json");
    request.responseType = "json";
    request.onloadend = () => {
      const answer = request.response || {};
      tell(request.status === 200 ? button.dataset.says + " " + (answer.apiKey || "") : done.dataset.refused);
    };
    request.send("{}");
  }

  document.addEventListener("click", (event) => {
    const button = event.target.closest("button");
    if (!button) return;
    if (button.dataset.copy) copy(button);
    else if (button.dataset.control) control(button);
    else if ("print" in button.dataset) print();
  });
})();
