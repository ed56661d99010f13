// The live page of `firebreak demo` in Chromium. FIREBREAK is the program, CHROMIUM the browser.
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
let demo, browser, base, pages;

// address waits for the first line of the demonstration.
const address = () => new Promise((found, failed) => {
  let said = '';
  demo.stdout.on('data', (chunk) => {
    said += chunk;
    const at = said.match(/the live page of this fleet: (http:\S+?)\/\n/);
    if (at) found(at[1]);
  });
  demo.once('exit', (code) => failed(new Error(`the demonstration ended with ${code}: ${said}`)));
});

before(async () => {
  demo = spawn(process.env.FIREBREAK, ['demo', '--duration', '10m', '--console', '127.0.0.1:0'], { stdio: ['ignore', 'pipe', 'inherit'] });
  base = await address();
  browser = await chromium.launch({ executablePath: process.env.CHROMIUM || '/usr/bin/chromium', args: ['--no-sandbox'] });
  let hotspots = [];
  for (let i = 0; i < 600 && !hotspots.length; i++) {
    await pause(200);
    hotspots = (await (await fetch(`${base}/api/v1/hotspots`)).json()).hotspots;
  }
  assert.equal(hotspots[0]?.cause, 'hot_key', 'the hot key of the story is found');
  const h = hotspots[0];
  pages = {
    fleet: '/', hotspot: `/fleets/${h.fleet}/hotspots/${h.hotspot}`, search: `/fleets/${h.fleet}/search?key=${encodeURIComponent(h.key)}&tenant=${encodeURIComponent(h.tenant)}`,
    nothing: `/fleets/${h.fleet}/search?key=%5C`, whatif: '/whatif', status: '/status', missing: '/nope',
  };
});

after(async () => {
  await browser?.close();
  demo?.kill('SIGTERM');
  if (demo && demo.exitCode === null) await once(demo, 'exit');
});

// open is a new page that remembers what went wrong and whom it asked.
async function open(options, path) {
  const context = await browser.newContext(options);
  const page = await context.newPage();
  page.trouble = [];
  page.on('console', (m) => { if (m.type() === 'error' && !/status of 404/.test(m.text())) page.trouble.push(m.text()); });
  page.on('pageerror', (e) => page.trouble.push(e.message));
  page.on('request', (r) => { if (!r.url().startsWith(base)) page.trouble.push(`asked ${r.url()}`); });
  await page.goto(base + path);
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
