// What all pictures share. A picture draws into hosts at 1:1 pixels, so that 12 px stay 12 px at every width.

// Whether the visitor asks for less motion: then nothing plays by itself, and what would move is there at once.
const STILL = matchMedia('(prefers-reduced-motion: reduce)');

const NAMESPACE = 'http://www.w3.org/2000/svg';

// Append an SVG element; attributes that are undefined are left out.
function draw(parent, name, attributes = {}, content) {
  const element = document.createElementNS(NAMESPACE, name);
  for (const [key, value] of Object.entries(attributes)) {
    if (value !== undefined) element.setAttribute(key, value);
  }
  if (content !== undefined) element.textContent = content;
  parent.appendChild(element);
  return element;
}

// Append an HTML element with a class and a text; returns it.
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

function rule(parent, x1, y1, x2, y2, look) {
  return draw(parent, 'line', {x1, y1, x2, y2, class: look});
}

// Replace what a host shows by an empty drawing as wide as the host; returns the drawing and its width.
function sheet(host, height, label, role = 'img') {
  const width = host.clientWidth;
  const svg = document.createElementNS(NAMESPACE, 'svg');
  const attributes = {width, height, role, 'aria-label': label};
  for (const [key, value] of Object.entries(attributes)) svg.setAttribute(key, value);
  host.replaceChildren(svg);
  return [svg, width];
}

// The kinds of value differ in shape as well as in colour: ● first, ■ second, ▲ other, ◇ exact.
function symbol(parent, x, y, kind, radius = 6) {
  if (kind === 'first') return draw(parent, 'circle', {cx: x, cy: y, r: radius, class: 'fill-first edge'});
  if (kind === 'second') {
    const side = 2 * radius - 1;
    const corner = {x: x - side / 2, y: y - side / 2, width: side, height: side};
    return draw(parent, 'rect', {...corner, class: 'fill-second edge'});
  }
  const reach = radius + 1;
  if (kind === 'other') {
    const triangle = `M${x},${y - reach}L${x + reach},${y + reach - 1}H${x - reach}Z`;
    return draw(parent, 'path', {d: triangle, class: 'fill-other edge'});
  }
  const path = `M${x},${y - reach}L${x + reach},${y}L${x},${y + reach}L${x - reach},${y}Z`;
  return draw(parent, 'path', {d: path, class: 'hollow'});
}

// Push labels with a wanted place `y` apart to at least `gap`, between two limits; sets `free` on each, sorted.
function spread(labels, gap, lowest, highest) {
  const sorted = [...labels].sort((one, other) => one.y - other.y);
  sorted.forEach((label, i) => {
    label.free = Math.max(label.y, i ? sorted[i - 1].free + gap : lowest);
  });
  for (let i = sorted.length - 1; i >= 0; i--) {
    const limit = i === sorted.length - 1 ? highest : sorted[i + 1].free - gap;
    sorted[i].free = Math.min(sorted[i].free, limit);
  }
  return sorted;
}

// Call `draw` with a share that goes from 0 to 1 in so many milliseconds, at once where less motion is asked for; then
// `over`. What moved the same `thing` before stops where it is.
function glide(thing, milliseconds, draw, over = () => {}, ease = share => share * share * (3 - 2 * share)) {
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

// Make the fixed parts of a picture once, by `html`; return what finds one by a selector.
function parts(root, html) {
  if (!root.firstChild) root.innerHTML = html;
  return selector => root.querySelector(selector);
}

// Whether the element that has the keyboard's focus lies in a host, also inside a shadow root.
function hasFocus(host) {
  return host.contains(host.getRootNode().activeElement);
}

// Where a key moves from a place among 0 … last, by the steps of the keys: null if it is none of these.
function stepped(event, place, last, steps = {ArrowRight: 1, ArrowLeft: -1}) {
  const to = {Home: 0, End: last}[event.key] ?? (steps[event.key] ? place + steps[event.key] : null);
  if (to === null) return null;
  event.preventDefault();
  return Math.max(0, Math.min(last, to));
}

// Draw now, and again whenever the width changes. One observer serves a picture for as long as it lives. While a picture
// has no width, as in a tab that closes, there is nothing to draw. While it is pressed, it stays as it is: there is no
// click on a part that is replaced before it is let go.
function keepDrawn(root, redraw) {
  const show = () => {
    if (root.clientWidth && !root.pressed) root.redraw();
  };
  root.redraw = redraw;
  show();
  if (root.watched) return;
  let width = root.clientWidth;
  root.watched = new ResizeObserver(() => {
    if (Math.abs(root.clientWidth - width) < 1) return;
    width = root.clientWidth;
    show();
  });
  root.watched.observe(root);
  root.addEventListener('pointerdown', event => {
    if (event.button) return; // the secondary button may never be let go
    clearTimeout(root.releasing);
    root.pressed = true;
    const release = () => {
      for (const end of ENDS) removeEventListener(end, release, true);
      root.releasing = setTimeout(() => { // the click comes first; that of a finger, a moment after it is lifted
        root.pressed = false;
        show();
      }, CLICK);
    };
    for (const end of ENDS) addEventListener(end, release, true);
  });
}

const ENDS = ['pointerup', 'pointercancel'];
const CLICK = 50; // milliseconds

// Whether a part of the data has changed since the last drawing, so that a tick leaves the other parts alone.
function changed(root, name, part) {
  const text = JSON.stringify(part) + root.clientWidth;
  root.drawn ??= {};
  if (root.drawn[name] === text) return false;
  root.drawn[name] = text;
  return true;
}
