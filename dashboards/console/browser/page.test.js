// The live page of `firebreak demo` in Chromium, and what the demonstration does not have: hotspots of which people spoke, and reports.
// FIREBREAK is the program, SERVE the test binary of dashboards/console, CHROMIUM the browser.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { after, before, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { chromium } from 'playwright-core';

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const shots = process.env.SCREENSHOTS; // a folder to keep pictures in
let demo, kept, browser, base, acts, pages;

// address waits for the line that says where a process serves.
const address = (process, line) => new Promise((found, failed) => {
  let said = '';
  process.stdout.on('data', (chunk) => {
    said += chunk;
    const at = said.match(line);
    if (at) found(at[1]);
  });
  process.once('exit', (code) => failed(new Error(`it ended with ${code}: ${said}`)));
});

before(async () => {
  demo = spawn(process.env.FIREBREAK, ['demo', '--duration', '10m', '--console', '127.0.0.1:0'], { stdio: ['ignore', 'pipe', 'inherit'] });
  base = await address(demo, /the live page of this fleet: (http:\S+?)\/\n/);
  kept = spawn(process.env.SERVE, ['-test.run', '^TestServe$'], { stdio: ['pipe', 'pipe', 'inherit'], env: { ...process.env, FIREBREAK_SERVE: '1' } });
  const acting = address(kept, /acts (http:\S+)\n/);
  const spoken = await address(kept, /serves (http:\S+)\n/);
  acts = await acting;
  const acted = (await (await fetch(`${acts}/api/v1/hotspots`, { headers: as('vera') })).json()).hotspots[0].hotspot;
  const said = (await (await fetch(`${spoken}/api/v1/hotspots`)).json()).hotspots;
  assert.ok(said[0].accepted && said[1].dismissed, 'one hotspot is accepted, one was dismissed');
  browser = await chromium.launch({ executablePath: process.env.CHROMIUM || '/usr/bin/chromium', args: ['--no-sandbox'] });
  let hotspots = [];
  for (let i = 0; i < 600 && !hotspots.length; i++) {
    await pause(200);
    hotspots = (await (await fetch(`${base}/api/v1/hotspots`)).json()).hotspots;
  }
  assert.equal(hotspots[0]?.cause, 'hot_key', 'the hot key of the story is found');
  const h = hotspots[0];
  pages = {
    actions: `${acts}/fleets/orders/actions`, routing: `${acts}/fleets/orders/routing`, actedhotspot: `${acts}/fleets/orders/hotspots/${acted}`, noactions: '/fleets/' + h.fleet + '/actions',
    fleet: '/', hotspot: `/fleets/${h.fleet}/hotspots/${h.hotspot}`, search: `/fleets/${h.fleet}/search?key=${encodeURIComponent(h.key)}&tenant=${encodeURIComponent(h.tenant)}`,
    nothing: `/fleets/${h.fleet}/search?key=%5C`, whatif: '/whatif', status: '/status', missing: '/nope', noreports: '/reports',
    accepted: `${spoken}/`, acceptedhotspot: `${spoken}/fleets/orders/hotspots/${said[0].hotspot}`, dismissed: `${spoken}/fleets/orders/hotspots/${said[1].hotspot}`,
    reports: `${spoken}/reports`, report: `${spoken}/reports/html?last=20m`, onefleet: `${spoken}/reports/html?last=20m&fleet=orders`, noreport: `${spoken}/reports/html?from=2026-03-01&to=2026-03-01`,
  };
});

after(async () => {
  await browser?.close();
  kept?.stdin.end();
  demo?.kill('SIGTERM');
  for (const p of [demo, kept]) if (p && p.exitCode === null) await once(p, 'exit');
});

// as is how somebody shows a token of TestServe.
const as = (who) => ({ Authorization: `Bearer token-of-${who}-${{ ann: 'approver', vera: 'viewer' }[who]}` });

// open is a new page that remembers what went wrong and whom it asked.
async function open(options, path, who = 'ann') {
  const at = new URL(path, base);
  const context = await browser.newContext({ ...options, ...(at.origin === acts && { extraHTTPHeaders: as(who) }) });
  const page = await context.newPage();
  page.trouble = [];
  page.on('console', (m) => { if (m.type() === 'error' && !/status of 40[04]/.test(m.text())) page.trouble.push(m.text()); });
  page.on('pageerror', (e) => page.trouble.push(e.message));
  page.on('request', (r) => { if (!r.url().startsWith(at.origin)) page.trouble.push(`asked ${r.url()}`); });
  await page.goto(at.href);
  return page;
}

for (const colorScheme of ['light', 'dark']) {
  for (const width of [390, 1200]) {
    test(`axe-core finds nothing, nothing overflows: ${colorScheme}, ${width} px`, async () => {
      for (const [name, path] of Object.entries(pages)) {
        const page = await open({ colorScheme, viewport: { width, height: 900 }, bypassCSP: true }, path); // axe is a script from here
        assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), `${name} is wider than the window`);
        if (shots) await page.screenshot({ path: `${shots}/${name}-${colorScheme}-${width}.png`, fullPage: true });
        await page.evaluate(() => document.querySelectorAll('details').forEach((d) => { d.open = true; }));
        await page.addScriptTag({ content: axe });
        const { violations, passes } = await page.evaluate(() => globalThis.axe.run(document));
        assert.deepEqual(violations.map((v) => `${v.id}: ${v.nodes[0].html}`), [], name);
        assert.ok(passes.length > 10, `${name}: only ${passes.length} rules were tried`);
        await page.context().close();
      }
    });
  }
}

test('under its own policy no page is refused anything, and none asks another host', async () => {
  for (const [name, path] of Object.entries(pages)) {
    const page = await open({}, path);
    await pause(300);
    assert.deepEqual(page.trouble, [], name);
    await page.context().close();
  }
});

test('a page draws itself anew, and what is open stays open', async () => {
  const page = await open({}, pages.fleet);
  await page.locator('#shards summary').click();
  const judged = () => page.locator('dt:text-is("Judged") + dd').textContent();
  const first = await judged();
  for (let i = 0; i < 100 && (await judged()) === first; i++) await pause(100);
  assert.notEqual(await judged(), first);
  assert.ok(await page.locator('#shards').evaluate((d) => d.open));
  assert.match(await page.locator('#live').textContent(), /^Live\. Drawn at /);
  assert.deepEqual(page.trouble, []);
  await page.context().close();
});

// watched is a page that keeps its streams, and that can be hidden as a tab behind others is.
async function watched(path, route, timed) {
  const context = await browser.newContext();
  await context.addInitScript(() => {
    const Stream = globalThis.EventSource;
    globalThis.streams = [];
    globalThis.EventSource = class extends Stream { constructor(url) { super(url); globalThis.streams.push(this); } };
    let hidden = false;
    Object.defineProperty(document, 'hidden', { get: () => hidden });
    globalThis.hide = (yes) => { hidden = yes; document.dispatchEvent(new Event('visibilitychange')); };
  });
  const page = await context.newPage();
  if (timed) await page.clock.install(); // its time runs, and can be moved on
  if (route) await page.route('**/events', route);
  await page.goto(new URL(path, base).href);
  return page;
}
const live = (page, words) => page.waitForFunction((w) => document.getElementById('live').textContent.match(w), words, { timeout: 15000 });

test('a tab behind others holds no stream, and is drawn when it is seen again', async () => {
  const page = await watched(pages.fleet);
  await live(page, '^Live\\. Drawn at ');
  await page.evaluate(() => globalThis.hide(true));
  assert.deepEqual(await page.evaluate(() => globalThis.streams.map((s) => s.readyState)), [2]);
  const drawn = await page.locator('#live').textContent();
  await pause(2500);
  assert.equal(await page.locator('#live').textContent(), drawn, 'it is not drawn while nobody sees it');
  await page.evaluate(() => globalThis.hide(false));
  await page.waitForFunction((d) => document.getElementById('live').textContent !== d, drawn, { timeout: 5000 });
  assert.deepEqual(await page.evaluate(() => globalThis.streams.map((s) => s.readyState)), [2, 1]);
  await page.context().close();
});

test('a stream that is refused once is asked for again, and the page says so meanwhile', async () => {
  let asked = 0;
  const page = await watched(pages.fleet, (r) => (asked++ ? r.continue() : r.fulfill({ status: 503, body: 'not now' })));
  await live(page, '^Not live: the server is not reached');
  await live(page, '^Live\\. Drawn at ');
  assert.equal(asked, 2);
  await page.context().close();
});

test('a page whose server is silent says since when it is not live, and asks anew until it is heard', async () => {
  let asked = 0;
  const page = await watched(pages.fleet, (r) => { if (asked++ !== 1) return r.continue(); }, true); // the second stream never begins
  await live(page, '^Live\\. Drawn at ');
  await page.evaluate(() => { globalThis.streams[0].close(); }); // it is open no more, and nobody is told: as behind a network that is gone
  await pause(300); // what is being drawn is drawn
  const heard = await page.evaluate(() => new Date().toISOString().slice(11, 19));
  await page.clock.fastForward(29000 - 300);
  assert.match(await page.locator('#live').textContent(), /^Live\./, 'not yet');
  await page.clock.fastForward(3000);
  await live(page, '^Not live since \\d\\d:\\d\\d:\\d\\dZ: the server is silent\\. What is shown may be old\\.$');
  const since = (await page.locator('#live').textContent()).match(/since (\S+)Z/)[1];
  assert.ok(since <= heard, `since ${since}, and heard until ${heard}`);
  assert.equal(asked, 2);
  await page.clock.fastForward(31000);
  await live(page, '^Live\\. Drawn at ');
  assert.equal(asked, 3);
  await page.context().close();
});

test('a page that may not be drawn says that it is paused, and is drawn as soon as it may', async () => {
  const page = await watched(pages.fleet);
  await live(page, '^Live\\. Drawn at ');
  await page.evaluate(() => document.getSelection().selectAllChildren(document.querySelector('h1')));
  await live(page, '^Paused while text is selected\\. Drawn at ');
  await page.evaluate(() => document.getSelection().removeAllRanges());
  await live(page, '^Live\\. Drawn at ');
  await page.locator('#key').focus();
  await live(page, '^Paused while a field is typed in\\.');
  await page.evaluate(() => document.activeElement.blur());
  await live(page, '^Live\\. Drawn at ');
  await page.context().close();
});

test('what changes while the page is drawn is drawn after it', async () => {
  const page = await watched(pages.fleet);
  await live(page, '^Live\\. Drawn at ');
  let pagesAsked = 0;
  await page.evaluate(() => { globalThis.streams[0].close(); }); // only what is told below
  await pause(500);
  await page.route('**/', async (r) => { pagesAsked++; await pause(300); await r.continue(); });
  await page.evaluate(() => { for (let i = 0; i < 3; i++) globalThis.streams[0].dispatchEvent(new Event('change')); });
  await pause(1500);
  assert.equal(pagesAsked, 2);
  await page.context().close();
});

test('what is typed is not lost while the page is live', async () => {
  const page = await open({}, pages.fleet);
  await page.locator('#key').fill('counter:views');
  await pause(4000); // three panes of the story
  assert.equal(await page.locator('#key').inputValue(), 'counter:views');
  await page.keyboard.press('Enter');
  await page.waitForURL(/\/search\?key=counter/);
  await page.context().close();
});

test('a slider of what-if moves the bars, without loading the page', async () => {
  const page = await open({}, pages.whatif);
  await page.evaluate(() => { globalThis.still = true; });
  const bars = () => page.locator('.fix:nth-child(2) svg path.hot').getAttribute('d');
  const before = await bars();
  await page.locator('#w-salt').focus();
  for (let i = 0; i < 8; i++) await page.keyboard.press('ArrowRight');
  await page.waitForFunction(() => document.querySelector('.fix:nth-child(2) strong').textContent === 'salt of 12');
  assert.notEqual(await bars(), before);
  assert.ok(await page.evaluate(() => globalThis.still));
  assert.match(page.url(), /salt=12/);
  assert.equal(await page.evaluate(() => document.activeElement.id), 'w-salt');
  assert.deepEqual(page.trouble, []);
  await page.context().close();
});

test('on a phone the labels of the heat map stay in sight where it is scrolled', async () => {
  const page = await open({ viewport: { width: 390, height: 900 } }, pages.fleet);
  const scroll = page.locator('.picture .scroll').first();
  await page.waitForFunction(() => document.querySelector('.picture .scroll').scrollLeft > 100); // it begins at the newest, and stays there
  const box = await page.evaluate(() => document.querySelector('.pinned text').getBoundingClientRect().toJSON()); // of one moment: it is drawn anew meanwhile
  assert.ok(box.x >= 0 && box.x + box.width <= 390, JSON.stringify(box));
  await scroll.evaluate((s) => { s.scrollLeft = 0; });
  const [at, below] = await page.evaluate(() => ['.pinned text', '.heatmap:not(.pinned) .rows text'].map((s) => document.querySelector(s).getBoundingClientRect())); // the same
  assert.ok(Math.abs(at.x - below.x) < 1 && Math.abs(at.y - below.y) < 1, `${JSON.stringify(at)} lies on ${JSON.stringify(below)}`);
  await page.context().close();
});

test('by keyboard alone: skip link, pages, a hotspot', async () => {
  const page = await open({}, pages.fleet);
  await page.keyboard.press('Tab');
  assert.equal(await page.evaluate(() => document.activeElement.className), 'skip');
  await page.keyboard.press('Enter');
  await page.keyboard.press('Tab');
  assert.ok(await page.evaluate(() => document.getElementById('main').contains(document.activeElement)));
  await page.context().close();
});

test('without script: every page, and the forms', async () => {
  for (const path of Object.values(pages)) {
    const page = await open({ javaScriptEnabled: false }, path);
    assert.ok(await page.locator('h1').count(), path);
    await page.context().close();
  }
  const page = await open({ javaScriptEnabled: false }, pages.whatif);
  await page.locator('#n-salt').fill('6');
  await page.locator('button').click();
  assert.equal(await page.locator('.fix:nth-child(2) strong').textContent(), 'salt of 6');
  await page.context().close();
});

test('who reads a hotspot sees that it is accepted, by whom and why, and can copy the command that says so', async () => {
  const page = await open({}, pages.accepted);
  assert.match(await page.locator('.hots .tag.said').textContent(), /^accepted until 2026-03-01 20:18:25Z$/);
  assert.match(await page.locator('.hots .says.said').textContent(), /^Accepted by ann until .*: the nightly import; a new shard comes on Monday\./);
  await page.goto(pages.acceptedhotspot);
  await page.locator('.say code').first().click();
  assert.match(await page.evaluate(() => document.getSelection().toString().trim()), /^firebreak accept [0-9a-f]{16} --until 2h --reason "why" --config firebreak\.yml$/);
  assert.deepEqual(page.trouble, []);
  await page.context().close();
});

test('a report is made from the form, by keyboard and without script, and shows its style and nothing that runs', async () => {
  const page = await open({ javaScriptEnabled: false }, pages.reports);
  await page.locator('#from').fill('2026-03-01');
  await page.locator('#to').fill('');
  await page.locator('form.days button').first().focus();
  await page.keyboard.press('Enter');
  await page.waitForURL(/\/reports\/html\?from=2026-03-01&to=$/);
  assert.match(await page.locator('h1').first().textContent(), /shard-2/);
  assert.equal(await page.locator('script').count(), 0);
  assert.notEqual(await page.locator('.tags').first().evaluate((e) => getComputedStyle(e).display), 'block', 'its style sheet counts');
  assert.deepEqual(page.trouble, []);
  await page.context().close();
});

for (const javaScriptEnabled of [true, false]) {
  test(`a person approves a plan, by keyboard, ${javaScriptEnabled ? 'with' : 'without'} script, and reads that it is in the journal`, async () => {
    const page = await open({ javaScriptEnabled }, pages.actions);
    assert.match(await page.locator('ol.lines').first().textContent(), /salt\/cart:42 not there → write=1,read=4/);
    const form = page.locator('form[aria-label^="Plan "]');
    await form.getByLabel('Why, for who reads the history').focus();
    await page.keyboard.type(`seen with the team, ${javaScriptEnabled}`);
    await page.keyboard.press('Tab'); // reject
    await page.keyboard.press('Tab');
    assert.equal(await page.evaluate(() => document.activeElement.textContent), 'Approve');
    await page.keyboard.press('Enter');
    await page.waitForURL(/\/actions\?done=/);
    assert.match(await page.locator('.sentence.done').textContent(), new RegExp(`In the journal: Fleet orders: approve of plan [0-9a-f]+ by ann: seen with the team, ${javaScriptEnabled}\\.`));
    assert.deepEqual(page.trouble, []);
    await page.context().close();
  });
}

test('a form without a reason is not sent, one with a reason is not lost while the page is live, and who may look is offered none', async () => {
  const page = await open({}, pages.actions);
  await page.locator('button[value=reject]').click();
  assert.equal(new URL(page.url()).search, '', 'it is not sent');
  await page.locator('form[aria-label^="Operation "] input[name=reason]').fill('half a sentence');
  await page.locator('h1').click();
  await fetch(`${acts}/api/v1/fleets/orders/actions`, { method: 'POST', headers: { ...as('ann'), 'Content-Type': 'application/json' }, body: '{"do":"hold","operation":1,"reason":"something changes"}' });
  await page.waitForFunction(() => /^Paused while a reason stands that was not sent/.test(document.getElementById('live').textContent), null, { timeout: 15000 });
  assert.equal(await page.locator('form[aria-label^="Operation "] input[name=reason]').inputValue(), 'half a sentence');
  assert.deepEqual(page.trouble, []);
  await page.context().close();
  const viewer = await open({}, pages.actions, 'vera');
  assert.equal(await viewer.locator('form[method=post]').count(), 0);
  await viewer.context().close();
});

test('a form of another site changes nothing, although the browser shows the token', async () => {
  const history = async () => (await (await fetch(`${acts}/api/v1/fleets/orders/routing`, { headers: as('ann') })).json()).history.length;
  const before = await history();
  const context = await browser.newContext({ extraHTTPHeaders: as('ann') });
  const page = await context.newPage();
  await page.setContent(`<form method="post" action="${acts}/fleets/orders/actions"><input name="do" value="stop"><input name="reason" value="x"><button>Free prizes</button></form>`);
  await page.getByText('Free prizes').click();
  await page.waitForURL(/\/actions$/);
  assert.match(await page.locator('main').textContent(), /Another site asks/);
  assert.equal(await history(), before);
  await context.close();
});
