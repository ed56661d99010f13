// Draws the page anew when the server says that something changed, and what-if while a slider moves. The page works without it.
(() => {
  'use strict';
  const fetched = async (url) => {
    const answer = await fetch(url, { credentials: 'same-origin', headers: { Accept: 'text/html' } });
    if (!answer.ok) throw new Error(String(answer.status));
    return new DOMParser().parseFromString(await answer.text(), 'text/html');
  };
  const text = (node) => (node ? node.textContent.trim() : '');
  const said = (words) => {
    const out = document.getElementById('said');
    if (out && out.textContent !== words) out.textContent = words;
  };
  // Puts what was fetched in the place of what is shown. What is open stays open, what is scrolled stays scrolled.
  const replace = (id, page) => {
    const old = document.getElementById(id), next = page.getElementById(id);
    if (!old || !next) return;
    const open = new Set([...old.querySelectorAll('details[open]')].map((d) => d.id));
    const scrolled = new Map([...old.querySelectorAll('.scroll')].map((s) => [s.getAttribute('aria-label'), s.scrollLeft]));
    const before = text(document.getElementById('headline')), focus = document.activeElement;
    const held = focus && old.contains(focus) && focus !== old ? focus.getAttribute('href') || focus.getAttribute('aria-label') || (focus.parentElement && focus.parentElement.id) : null;
    next.querySelectorAll('details').forEach((d) => { d.open = open.has(d.id); });
    old.replaceChildren(...next.childNodes);
    old.querySelectorAll('.scroll').forEach((s) => { s.scrollLeft = scrolled.get(s.getAttribute('aria-label')) || 0; });
    if (held) {
      const again = [...old.querySelectorAll('a[href],[tabindex]')].find((n) => n.getAttribute('href') === held || n.getAttribute('aria-label') === held) ||
        old.querySelector('#' + CSS.escape(held) + '>summary');
      if (again) again.focus({ preventScroll: true });
    }
    const after = text(document.getElementById('headline'));
    if (after !== before) said(after);
    if (page.title) document.title = page.title;
  };
  document.querySelectorAll('.picture .scroll').forEach((s) => { s.scrollLeft = s.scrollWidth; }); // the newest is at the right
  const live = document.body.dataset.live;
  if (live && 'EventSource' in window) {
    const note = document.getElementById('live');
    let drawing = false, again = false;
    const draw = async () => {
      const typing = document.activeElement && document.activeElement.tagName === 'INPUT';
      const picked = !document.getSelection().isCollapsed; // somebody is about to copy it
      if (drawing || document.hidden || typing || picked) { again = true; return; }
      drawing = true; again = false;
      try {
        replace('main', await fetched(location.href));
        note.textContent = 'Live. Drawn at ' + new Date().toISOString().slice(11, 19) + 'Z.';
      } catch (e) {
        note.textContent = 'Not live: the server does not answer. What is shown may be old.';
      }
      note.hidden = false; drawing = false;
    };
    document.addEventListener('visibilitychange', () => { if (again) draw(); });
    document.addEventListener('selectionchange', () => { if (again && document.getSelection().isCollapsed) draw(); });
    document.addEventListener('focusout', () => { if (again) setTimeout(draw, 0); });
    const events = new EventSource(live);
    events.addEventListener('change', draw);
    events.addEventListener('open', () => { note.textContent = 'Live.'; note.hidden = false; });
    events.addEventListener('error', () => { note.textContent = 'Not live: the server is not reached. What is shown may be old.'; note.hidden = false; });
  }
  const form = document.getElementById('whatif');
  if (form) {
    let timer = 0, turn = 0;
    const ask = async () => {
      const mine = ++turn, url = form.getAttribute('action') + '?' + new URLSearchParams(new FormData(form));
      try {
        const page = await fetched(url);
        if (mine === turn) { replace('answer', page); history.replaceState(null, '', url); }
      } catch (e) { said('The server does not answer.'); }
    };
    form.addEventListener('input', (e) => {
      const pair = e.target.dataset.for ? document.getElementById(e.target.dataset.for) : form.querySelector('[data-for="' + e.target.id + '"]');
      if (pair) pair.value = e.target.value;
      clearTimeout(timer); timer = setTimeout(ask, 120);
    });
  }
})();
