"use strict";
// Follows the sandbox: at each event the page is read again, and what differs is changed in place, so that focus, open
// histories and the place on the page stay as they are.
(() => {
  const said = document.getElementById("said");
  const pause = document.getElementById("pause");
  const field = document.getElementById("q");
  const quiet = 5000;
  let source = null, reading = false, again = false, asked = false;
  let summary = said.dataset.summary, connection = "", lastSaid = 0, later = 0;

  // Those who listen hear of invoices and of the connection, not of every request, and not all the time.
  function say() {
    clearTimeout(later);
    const wait = lastSaid + quiet - Date.now();
    if (wait > 0) {
      later = setTimeout(say, wait);
      return;
    }
    const text = connection + " " + summary;
    if (said.textContent !== text) {
      said.textContent = text;
      lastSaid = Date.now();
    }
  }

  function connected(text) {
    connection = text;
    lastSaid = 0;
    say();
  }

  function become(now, next) {
    if (now.nodeType === Node.TEXT_NODE) {
      if (now.data !== next.data) now.data = next.data;
      return;
    }
    if (now.nodeType !== Node.ELEMENT_NODE) return;
    for (const { name } of [...now.attributes]) {
      if (!next.hasAttribute(name) && name !== "open") now.removeAttribute(name);
    }
    for (const { name, value } of next.attributes) {
      if (now.getAttribute(name) !== value) now.setAttribute(name, value);
    }
    const wanted = new Set([...next.children].map((child) => child.id));
    const kept = new Map();
    for (const child of [...now.children]) {
      if (!child.id) continue;
      if (wanted.has(child.id)) kept.set(child.id, child);
      else child.remove();
    }
    let at = now.firstChild;
    for (const child of next.childNodes) {
      let same = null;
      if (child.id) same = kept.get(child.id) || null;
      else if (at && !at.id && at.nodeName === child.nodeName) same = at;
      if (!same) {
        now.insertBefore(document.importNode(child, true), at);
        continue;
      }
      if (same === at) at = at.nextSibling;
      else now.insertBefore(same, at);
      become(same, child);
    }
    while (at) {
      const after = at.nextSibling;
      at.remove();
      at = after;
    }
  }

  function read() {
    if (reading) {
      again = true;
      return;
    }
    reading = true;
    const request = new XMLHttpRequest();
    const { search } = location;
    request.open("GET", location.pathname + search);
    request.responseType = "document";
    request.onloadend = () => {
      reading = false;
      const next = request.status === 200 && request.response;
      if (next && search === location.search && (source || asked)) {
        if (asked) lastSaid = 0;
        asked = false;
        document.title = next.title;
        for (const part of ["nav", "main"]) become(document.getElementById(part), next.getElementById(part));
        become(document.querySelector("footer"), next.querySelector("footer"));
        summary = next.getElementById("said").dataset.summary;
        say();
      }
      if (again) {
        again = false;
        read();
      }
    };
    request.send();
  }

  function follow() {
    source = new EventSource("/_sandbox/events");
    source.addEventListener("open", () => connected(said.dataset.live));
    source.addEventListener("changed", read);
    source.addEventListener("error", () => connected(said.dataset.lost));
    pause.textContent = pause.dataset.pause;
  }

  pause.addEventListener("click", () => {
    if (!source) {
      follow();
      return;
    }
    source.close();
    source = null;
    pause.textContent = pause.dataset.resume;
    connected(said.dataset.paused);
  });

  // The search stands in the address, as the filters do, so that the server searches all there is.
  function search() {
    const to = new URL(location.href);
    const one = to.searchParams.has("invoice");
    if (one && !field.value.trim()) return;
    to.searchParams.delete("invoice");
    to.searchParams.delete("q");
    if (field.value.trim()) to.searchParams.set("q", field.value.trim());
    to.hash = "";
    if (one) history.pushState(null, "", to);
    else history.replaceState(null, "", to);
    asked = true;
    read();
  }

  let typed = 0;
  field.addEventListener("input", () => {
    clearTimeout(typed);
    typed = setTimeout(search, 150);
  });
  document.getElementById("search").addEventListener("submit", (event) => {
    event.preventDefault();
    clearTimeout(typed);
    search();
  });
  addEventListener("popstate", () => {
    field.value = new URLSearchParams(location.search).get("q") || "";
    asked = true;
    read();
  });
  document.addEventListener("keydown", (event) => {
    if (event.key !== "/" || event.ctrlKey || event.metaKey || event.altKey || event.target.closest("input")) return;
    event.preventDefault();
    field.focus();
    field.select();
  });

  pause.hidden = false;
  follow();
})();
