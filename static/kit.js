// What all drawings share. A drawing is made at 1:1 pixels, so that 13 px stay 13 px at every width.

// Whether the visitor asks for less motion: then nothing plays by itself, and what would move is there at once.
export const STILL = globalThis.matchMedia?.('(prefers-reduced-motion: reduce)');
const NAMESPACE = 'http://www.w3.org/2000/svg';

export function set(element, attributes) {
  for (const [key, value] of Object.entries(attributes)) {
    if (value !== undefined) element.setAttribute(key, value);
  }
  return element;
}

// Append an SVG element; attributes that are undefined are left out.
export function shape(parent, name, attributes = {}, content) {
  const element = set(document.createElementNS(NAMESPACE, name), attributes);
  if (content !== undefined) element.textContent = content;
  parent.appendChild(element);
  return element;
}

// Append an HTML element with a class and a text.
export function append(parent, name, look = '', content = '') {
  const element = document.createElement(name);
  if (look) element.className = look;
  element.textContent = content;
  parent.appendChild(element);
  return element;
}

// `anchor` is 'start', 'middle' or 'end'; `look` holds classes of style.css.
export function write(parent, x, y, content, look = '', anchor = 'start', attributes = {}) {
  return shape(parent, 'text', {x, y, class: look, 'text-anchor': anchor, ...attributes}, content);
}

// A text that is moved sideways where it would leave the drawing.
export function writeInside(parent, x, y, content, look, width, anchor = 'middle') {
  const text = write(parent, x, y, content, look, anchor);
  const {x: from, width: long} = text.getBBox();
  return set(text, {x: x + Math.max(0, 2 - from) - Math.max(0, from + long + 2 - width)});
}

export function rule(parent, x1, y1, x2, y2, look) {
  return shape(parent, 'line', {x1, y1, x2, y2, class: look});
}

export function box(parent, x, y, width, height, look, attributes = {}) {
  return shape(parent, 'rect', {x, y, width, height, class: look, ...attributes});
}

// A line with ticks at these places, which reach so far to both sides.
export function ruler(parent, left, right, y, places, reach) {
  rule(parent, left, y, right, y, 'axis');
  for (const x of places) rule(parent, x, y - reach, x, y + reach, 'tick');
}

// Ticks with numbers below the axis at `y`; a number that would touch the one before is left out.
export function numbers(parent, ticks, across, y, width) {
  let free = -Infinity;
  for (const {at, text} of ticks) {
    const x = across(at);
    rule(parent, x, y, x, y + 5, 'axis');
    if (x < free) continue;
    free = x + 8 + writeInside(parent, x, y + 19, text, 'quiet', width).getComputedTextLength();
  }
}

// A measure from one x to another, its ends upright.
export function measure(parent, from, to, y, look = 'axis') {
  return shape(parent, 'path', {d: `M${from},${y - 4}v8M${to},${y - 4}v8M${from},${y}H${to}`, class: look});
}

// Replace what a host shows by an empty drawing as wide as the host; returns the drawing and its width.
export function sheet(host, height, label, role = 'img') {
  const width = host.clientWidth;
  host.replaceChildren();
  return [shape(host, 'svg', {width, height, role, 'aria-label': label}), width];
}

// The kinds of value differ in shape as well as in colour: ● first, ■ second, ▲ other, ◇ exact.
export function symbol(parent, x, y, kind, radius = 6) {
  const [side, reach, look] = [2 * radius - 1, radius + 1, kind === 'exact' ? 'hollow' : `fill-${kind} edge`];
  if (kind === 'second') return box(parent, x - side / 2, y - side / 2, side, side, look);
  const d = {
    other: `M${x},${y - reach}L${x + reach},${y + reach - 1}H${x - reach}Z`,
    exact: `M${x},${y - reach}L${x + reach},${y}L${x},${y + reach}L${x - reach},${y}Z`,
  }[kind];
  return d ? shape(parent, 'path', {d, class: look}) : shape(parent, 'circle', {cx: x, cy: y, r: radius, class: look});
}

// The same shapes in a text.
export const SIGN = {first: '●', second: '■'};

// Push labels with a wanted place `y` apart to at least `gap`, between two limits; sets `free` on each, sorted.
export function spread(labels, gap, lowest, highest) {
  const sorted = [...labels].sort((one, other) => one.y - other.y);
  sorted.forEach((label, i) => { label.free = Math.max(label.y, i ? sorted[i - 1].free + gap : lowest); });
  for (let i = sorted.length - 1; i >= 0; i--) {
    sorted[i].free = Math.min(sorted[i].free, i === sorted.length - 1 ? highest : sorted[i + 1].free - gap);
  }
  return sorted;
}

export const smooth = share => share * share * (3 - 2 * share);

// Call `show` with a share that goes from 0 to 1 in so many milliseconds, at once where less motion is asked for; then
// `over`. What moved the same `thing` before stops where it is.
export function glide(thing, milliseconds, show, over = () => {}, ease = smooth) {
  cancelAnimationFrame(thing.frame);
  const start = performance.now();
  const move = now => {
    const share = STILL.matches || !milliseconds ? 1 : Math.max(0, Math.min(1, (now - start) / milliseconds));
    show(ease(share));
    if (share < 1) thing.frame = requestAnimationFrame(move);
    else over();
  };
  move(start);
}

// A button and a scrubber for what goes step by step, so many milliseconds each. `show(at)` draws the state after `at`
// steps, also between two of them, and returns what is said of it. `clock` remembers `at`; at the `last` all is done.
// Without steps there is nothing to play, and the player is hidden.
export function player(host, clock, {last, pace, label, show}) {
  if (!host.firstChild) host.innerHTML = '<button></button><input type="range" min="0" step="1">';
  host.hidden = !last;
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
export function parts(root, html) {
  if (!root.firstChild) root.innerHTML = html;
  return selector => root.querySelector(selector);
}

// Where a key moves from a place among 0 … last, by the steps of the keys: null if it is none of these.
export function stepped(event, place, last, steps = {ArrowRight: 1, ArrowLeft: -1}) {
  const to = {Home: 0, End: last}[event.key] ?? (steps[event.key] ? place + steps[event.key] : null);
  if (to === null) return null;
  event.preventDefault();
  return Math.max(0, Math.min(last, to));
}

// A group of buttons, of which one is in the tab order: the arrow keys, Home and End move, Enter or a click picks. Each
// has a name within its picture, by which the focus finds it when it is drawn anew.
export function rove(name, buttons, at, pick = () => {}, steps) {
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
export function keepFocus(root, redraw) {
  const focused = root.getRootNode().activeElement?.dataset?.part;
  redraw();
  if (focused) root.querySelector(`[data-part="${focused}"]`)?.focus({preventScroll: true});
}

// Draw now, and again whenever the width changes. A drawing without width, as in a tab that closes, is not drawn.
export function keepDrawn(root, redraw) {
  root.redraw = () => root.clientWidth && keepFocus(root, redraw);
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
