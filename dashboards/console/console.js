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
  // The newest of a picture is at its right end: there it begins, and stays as it grows, until somebody scrolls back.
  const newest = (s) => s.closest('.picture') && s.scrollLeft + s.clientWidth >= s.scrollWidth - 2;
  const begin = (s) => (s.closest('.picture') ? s.scrollWidth : 0);
  // Puts what was fetched in the place of what is shown. What is open stays open, what is scrolled stays scrolled.
  const replace = (id, page) => {
    const old = document.getElementById(id), next = page.getElementById(id);
    if (!old || !next) return;
    const open = new Set([...old.querySelectorAll('details[open]')].map((d) => d.id));
    const scrolled = new Map([...old.querySelectorAll('.scroll')].filter((s) => !newest(s)).map((s) => [s.getAttribute('aria-label'), s.scrollLeft]));
    const before = text(document.getElementById('headline')), focus = document.activeElement;
    const held = focus && old.contains(focus) && focus !== old ? focus.getAttribute('href') || focus.getAttribute('aria-label') || (focus.parentElement && focus.parentElement.id) : null;
    next.querySelectorAll('details').forEach((d) => { d.open = open.has(d.id); });
    old.replaceChildren(...next.childNodes);
    old.querySelectorAll('.scroll').forEach((s) => { s.scrollLeft = scrolled.get(s.getAttribute('aria-label')) ?? begin(s); });
    if (held) {
      const again = [...old.querySelectorAll('a[href],[tabindex]')].find((n) => n.getAttribute('href') === held || n.getAttribute('aria-label') === held) ||
        old.querySelector('#' + CSS.escape(held) + '>summary');
      if (again) again.focus({ preventScroll: true });
    }
    const after = text(document.getElementById('headline'));
    if (after !== before) said(after);
    if (page.title) document.title = page.title;
  };
  document.querySelectorAll('.picture .scroll').forEach((s) => { s.scrollLeft = begin(s); });
  const live = document.body.dataset.live;
  if (live && 'EventSource' in window) {
    const note = document.getElementById('live');
    const silence = 30000; // ms without a sign of the server, which gives one every 10 s
    let events = null, timer = 0, watch = 0, drawing = false, due = false, lost = '', drawn = '', heard = '', since = '';
    const clock = () => new Date().toISOString().slice(11, 19) + 'Z';
    // lose says why the page is not live, and since when: the last sign of the server.
    const lose = (why) => { if (!lost) since = heard && ' since ' + heard; lost = why; tell(); };
    const alive = () => { heard = clock(); listen(); };
    const listen = () => { clearTimeout(watch); watch = setTimeout(() => { lose('the server is silent.'); open(); }, silence); };
    // holding is why nothing is drawn now although something changed; empty = it may be.
    const holding = () => {
      const typing = document.activeElement && document.activeElement.tagName === 'INPUT';
      if (typing) return 'a field is typed in';
      if ([...document.querySelectorAll('form[method=post] input[required]')].some((i) => i.value)) return 'a reason stands that was not sent';
      return document.getSelection().isCollapsed ? '' : 'text is selected'; // somebody is about to copy it
    };
    const tell = () => {
      const why = due && !drawing ? holding() : '';
      let words = heard ? 'Live.' + drawn : 'Not live yet.';
      if (lost) words = 'Not live' + since + ': ' + lost + ' What is shown may be old.';
      else if (why) words = 'Paused while ' + why + '.' + drawn;
      if (note.textContent !== words) note.textContent = words;
      note.hidden = false;
    };
    // draw draws the page until nothing changed meanwhile. A change that comes while it may not be drawn is drawn later.
    const draw = async () => {
      due = true;
      while (due && !drawing && !document.hidden && !holding()) {
        drawing = true; due = false;
        try {
          const page = await fetched(location.href);
          if (document.hidden || holding()) due = true; // it began while the page was fetched
          else {
            replace('main', page);
            drawn = ' Drawn at ' + clock() + '.';
          }
          if (events && events.readyState === EventSource.OPEN) lost = '';
        } catch (e) {
          lose('the server does not answer.');
        }
        drawing = false;
      }
      tell();
    };
    const freed = () => { if (due) draw(); else tell(); };
    // A stream is open while the page is seen: a browser has six connections to a host, for all its tabs.
    const close = () => { clearTimeout(timer); clearTimeout(watch); if (events) events.close(); events = null; };
    const open = () => {
      close();
      events = new EventSource(live);
      listen();
      events.addEventListener('beat', alive);
      events.addEventListener('change', () => { alive(); draw(); });
      events.addEventListener('open', () => { alive(); lost = ''; draw(); }); // what changed before is not told
      events.addEventListener('error', () => {
        lose('the server is not reached.');
        if (events && events.readyState === EventSource.CLOSED) { clearTimeout(timer); timer = setTimeout(open, 5000 + 5000 * Math.random()); } // refused: a browser asks no more
      });
    };
    document.addEventListener('visibilitychange', () => { if (document.hidden) close(); else open(); });
    document.addEventListener('selectionchange', freed);
    document.addEventListener('focusin', tell);
    document.addEventListener('focusout', () => setTimeout(freed, 0));
    if (!document.hidden) open();
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
