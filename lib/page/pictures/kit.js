// What all pictures share. A picture draws into hosts at 1:1 pixels, so that 13 px stay 13 px at every width.

// Whether the visitor asks for less motion: then nothing plays by itself, and what would move is there at once.
const STILL = matchMedia('(prefers-reduced-motion: reduce)');
const NAMESPACE = 'http://www.w3.org/2000/svg';

function set(element, attributes) {
  for (const [key, value] of Object.entries(attributes)) {
    if (value !== undefined) element.setAttribute(key, value);
  }
  return element;
}

// Append an SVG element; attributes that are undefined are left out.
function draw(parent, name, attributes = {}, content) {
  const element = set(document.createElementNS(NAMESPACE, name), attributes);
  if (content !== undefined) element.textContent = content;
  parent.appendChild(element);
  return element;
}

// Append an HTML element with a class and a text.
function append(parent, name, look = '', content = '') {
  const element = document.createElement(name);
  if (look) element.className = look;
  element.textContent = content;
  parent.appendChild(element);
  return element;
}

// `anchor` is 'start', 'middle' or 'end'; `look` holds classes of style.css.
function write(parent, x, y, content, look = '', anchor = 'start', attributes = {}) {
  return draw(parent, 'text', {x, y, class: look, 'text-anchor': anchor, ...attributes}, content);
}

// A text that is moved sideways where it would leave the drawing.
function writeInside(parent, x, y, content, look, width, anchor = 'middle') {
  const text = write(parent, x, y, content, look, anchor);
  const {x: from, width: long} = text.getBBox();
  return set(text, {x: x + Math.max(0, 2 - from) - Math.max(0, from + long + 2 - width)});
}

function rule(parent, x1, y1, x2, y2, look) {
  return draw(parent, 'line', {x1, y1, x2, y2, class: look});
}

function box(parent, x, y, width, height, look, attributes = {}) {
  return draw(parent, 'rect', {x, y, width, height, class: look, ...attributes});
}

// Grid lines from left to right, each with its text at `at`: rows of [y, text].
function gridLines(parent, left, right, rows, at, anchor = 'end') {
  for (const [y, text] of rows) {
    rule(parent, left, y, right, y, 'grid');
    write(parent, at, y + 4, text, 'quiet', anchor);
  }
}

// A line with ticks at these places, which reach so far to both sides.
function ruler(parent, left, right, y, places, reach) {
  rule(parent, left, y, right, y, 'axis');
  for (const x of places) rule(parent, x, y - reach, x, y + reach, 'tick');
}

// Ticks with numbers below the axis at `y`; a number that would touch the one before is left out.
function numbers(parent, ticks, across, y, width) {
  let free = -Infinity;
  for (const {at, text} of ticks) {
    const x = across(at);
    rule(parent, x, y, x, y + 5, 'axis');
    if (x < free) continue;
    free = x + 8 + writeInside(parent, x, y + 19, text, 'quiet', width).getComputedTextLength();
  }
}

// A measure from one x to another, its ends upright.
function measure(parent, from, to, y, look = 'axis') {
  return draw(parent, 'path', {d: `M${from},${y - 4}v8M${to},${y - 4}v8M${from},${y}H${to}`, class: look});
}

// A column of a chart that can be picked, told in words.
function pickable(parent, x, y, width, height, told, state = {}) {
  const column = draw(parent, 'g', {role: 'button', class: 'column', 'aria-label': told, ...state});
  box(column, x, y, width, height, 'reach');
  draw(column, 'title', {}, told);
  return column;
}

// The path of a step for each value, from edge to edge, with a gap where it is null.
function stepPath(values, across, level) {
  return values.reduce((path, value, i) => {
    return value === null ? path : `${path}${(values[i - 1] ?? null) === null ? 'M' : 'L'}${across(i)},${level(value)}H${across(i + 1)}`;
  }, '');
}

// Replace what a host shows by an empty drawing as wide as the host; returns the drawing and its width.
function sheet(host, height, label, role = 'img') {
  const width = host.clientWidth;
  host.replaceChildren();
  return [draw(host, 'svg', {width, height, role, 'aria-label': label}), width];
}

// The kinds of value differ in shape as well as in colour: ● first, ■ second, ▲ other, ◇ exact.
function symbol(parent, x, y, kind, radius = 6) {
  const [side, reach, look] = [2 * radius - 1, radius + 1, kind === 'exact' ? 'hollow' : `fill-${kind} edge`];
  if (kind === 'second') return box(parent, x - side / 2, y - side / 2, side, side, look);
  const d = {
    other: `M${x},${y - reach}L${x + reach},${y + reach - 1}H${x - reach}Z`,
    exact: `M${x},${y - reach}L${x + reach},${y}L${x},${y + reach}L${x - reach},${y}Z`,
  }[kind];
  return d ? draw(parent, 'path', {d, class: look}) : draw(parent, 'circle', {cx: x, cy: y, r: radius, class: look});
}

// The same shapes in a text.
const SIGN = {first: '●', second: '■'};

// Push labels with a wanted place `y` apart to at least `gap`, between two limits; sets `free` on each, sorted.
function spread(labels, gap, lowest, highest) {
  const sorted = [...labels].sort((one, other) => one.y - other.y);
  sorted.forEach((label, i) => { label.free = Math.max(label.y, i ? sorted[i - 1].free + gap : lowest); });
  for (let i = sorted.length - 1; i >= 0; i--) {
    sorted[i].free = Math.min(sorted[i].free, i === sorted.length - 1 ? highest : sorted[i + 1].free - gap);
  }
  return sorted;
}

const smooth = share => share * share * (3 - 2 * share);

// Call `draw` with a share that goes from 0 to 1 in so many milliseconds, at once where less motion is asked for; then
// `over`. What moved the same `thing` before stops where it is.
function glide(thing, milliseconds, draw, over = () => {}, ease = smooth) {
  cancelAnimationFrame(thing.frame);
  const start = performance.now();
  const move = now => {
    const share = STILL.matches || !milliseconds ? 1 : Math.max(0, Math.min(1, (now - start) / milliseconds));
    draw(ease(share));
    if (share < 1) thing.frame = requestAnimationFrame(move);
    else over();
  };
  move(start);
}

// A button and a scrubber for what goes step by step, so many milliseconds each. `show(at)` draws the state after `at`
// steps, also between two of them, and returns what is said of it. `clock` remembers `at`; at the `last` all is done.
function player(host, clock, {last, pace, label, show}) {
  if (!host.firstChild) host.innerHTML = '<button></button><input type="range" min="0" step="1">';
  const [button, slider] = host.children;
  const go = at => {
    clock.at = Math.max(0, Math.min(last, at));
    const said = show(clock.at);
    slider.value = Math.ceil(clock.at);
    slider.setAttribute('aria-valuetext', said);
    button.textContent = clock.playing ? '❚❚ Pause' : '▶ Play';
  };
  clock.stop = (at = clock.at) => {
    cancelAnimationFrame(clock.frame);
    clock.playing = false;
    go(at);
  };
  clock.play = () => {
    const from = clock.at >= last ? 0 : clock.at;
    clock.playing = true;
    const step = share => host.isConnected && go(from + (last - from) * share);
    glide(clock, pace * (last - from), step, () => clock.stop(last), share => share);
  };
  slider.max = last;
  slider.setAttribute('aria-label', label);
  slider.oninput = () => clock.stop(Number(slider.value));
  button.onclick = () => (clock.playing ? clock.stop() : clock.play());
  if (!clock.playing) go(clock.at ?? last);
}

// Make the fixed parts of a picture once, by `html`; return what finds one by a selector.
function parts(root, html) {
  if (!root.firstChild) root.innerHTML = html;
  return selector => root.querySelector(selector);
}

// Where a key moves from a place among 0 … last, by the steps of the keys: null if it is none of these.
function stepped(event, place, last, steps = {ArrowRight: 1, ArrowLeft: -1}) {
  const to = {Home: 0, End: last}[event.key] ?? (steps[event.key] ? place + steps[event.key] : null);
  if (to === null) return null;
  event.preventDefault();
  return Math.max(0, Math.min(last, to));
}

// A group of buttons, of which one is in the tab order: the arrow keys, Home and End move, Enter or a click picks. Each
// has a name within its picture, by which the focus finds it when it is drawn anew.
function rove(name, buttons, at, pick = () => {}, steps) {
  const enter = place => buttons.forEach((button, i) => button.setAttribute('tabindex', i === place ? 0 : -1));
  enter(at);
  buttons.forEach((button, i) => {
    button.dataset.part = `${name} ${i}`;
    button.addEventListener('focus', () => enter(i));
    button.onclick = () => {
      button.focus();
      pick(i);
    };
    button.onkeydown = event => {
      const to = stepped(event, i, buttons.length - 1, steps);
      if (to !== null) buttons[to].focus();
      if (event.key !== 'Enter' && event.key !== ' ') return;
      event.preventDefault();
      pick(i);
    };
  });
}

// Draw anew; the part that has the focus has it then, too.
function keepFocus(root, redraw) {
  const focused = root.getRootNode().activeElement?.dataset?.part;
  redraw();
  if (focused) root.querySelector(`[data-part="${focused}"]`)?.focus({preventScroll: true});
}

// While the page is pressed, pictures stay as they are: there is no click on a part that is replaced before it is let go.
const press = {on: false, waiting: new Set()};
addEventListener('pointerdown', event => {
  clearTimeout(press.ends);
  press.on = !event.button; // the secondary button may never be let go
}, true);
for (const end of ['pointerup', 'pointercancel']) {
  addEventListener(end, () => {
    press.ends = setTimeout(() => { // the click comes first; that of a finger, a moment after it is lifted
      press.on = false;
      press.waiting.forEach(root => root.redraw());
      press.waiting.clear();
    }, 50);
  }, true);
}

// Draw now, and again whenever the width changes. A picture without width, as in a tab that closes, is not drawn.
function keepDrawn(root, redraw) {
  root.redraw = () => {
    if (press.on) press.waiting.add(root);
    else if (root.clientWidth) keepFocus(root, redraw);
  };
  root.redraw();
  if (root.watched) return;
  let width = root.clientWidth;
  root.watched = new ResizeObserver(() => {
    if (Math.abs(root.clientWidth - width) < 1) return;
    width = root.clientWidth;
    root.redraw();
  });
  root.watched.observe(root);
}

// Whether a part of the data has changed since the last drawing, so that a tick leaves the other parts alone.
function changed(root, name, part) {
  const text = JSON.stringify(part) + root.clientWidth;
  root.drawn ??= {};
  if (root.drawn[name] === text) return false;
  root.drawn[name] = text;
  return true;
}
