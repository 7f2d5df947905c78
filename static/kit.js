// What all drawings share. A drawing is made at 1:1 pixels, so that 13 px stay 13 px at every width.

export const clamp = (value, low = 0, high = 1) => Math.max(low, Math.min(high, value));

export function set(element, attributes) {
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  return element;
}

// Append an SVG element.
export function shape(parent, name, attributes = {}, content = '') {
  const element = document.createElementNS('http://www.w3.org/2000/svg', name);
  element.textContent = content;
  return parent.appendChild(set(element, attributes));
}

// Append an HTML element.
export function append(parent, name, className = '', textContent = '') {
  return parent.appendChild(Object.assign(document.createElement(name), {className, textContent}));
}

// `anchor` is 'start', 'middle' or 'end'; `look` holds classes of style.css, here and below.
export function write(parent, x, y, content, look, anchor = 'start') {
  return shape(parent, 'text', {x, y, class: look, 'text-anchor': anchor}, content);
}

// A text in the middle of x, or moved sideways where it would leave a drawing of this width.
export function writeInside(parent, x, y, content, look, width) {
  const text = write(parent, x, y, content, look, 'middle');
  const half = text.getBBox().width / 2;
  return set(text, {x: clamp(x, half + 2, width - half - 2)});
}

export function rule(parent, x1, y1, x2, y2, look) {
  return shape(parent, 'line', {x1, y1, x2, y2, class: look});
}

export function box(parent, x, y, width, height, look, attributes = {}) {
  return shape(parent, 'rect', {x, y, width, height, class: look, ...attributes});
}

// A line with a tick at each of these x, which reaches as far above the line as below it.
export function ruler(parent, left, right, y, places, reach) {
  rule(parent, left, y, right, y, 'axis');
  for (const x of places) rule(parent, x, y - reach, x, y + reach, 'tick');
}

// Replace what an element shows by an empty drawing of its width; return the drawing and the width.
export function sheet(host, height, label, role = 'img') {
  const width = host.clientWidth;
  host.replaceChildren();
  return [shape(host, 'svg', {width, height, role, 'aria-label': label}), width];
}

// The kinds of value differ in shape as well as in colour: ● first, ■ second, ◇ exact.
export function symbol(parent, x, y, kind, radius = 6) {
  if (kind === 'first') return shape(parent, 'circle', {cx: x, cy: y, r: radius, class: 'fill-first edge'});
  const side = 2 * radius - 1;
  if (kind === 'second') return box(parent, x - side / 2, y - side / 2, side, side, 'fill-second edge');
  const reach = radius + 1;
  const d = `M${x},${y - reach}l${reach},${reach} ${-reach},${reach} ${-reach},${-reach}z`;
  return shape(parent, 'path', {d, class: 'hollow'});
}

// The same shapes in a text.
export const SIGN = {first: '●', second: '■'};

export const smooth = share => share * share * (3 - 2 * share);

// Call `show` with a share that goes from 0 to 1 in so many milliseconds, or with 1 at once if the visitor asks for less
// motion; then call `over`. `thing` remembers the next frame: what moved the same thing before stops where it is.
export function glide(thing, milliseconds, show, over = () => {}) {
  cancelAnimationFrame(thing.frame);
  const still = matchMedia('(prefers-reduced-motion: reduce)').matches;
  const start = performance.now();
  const end = still ? start : start + milliseconds;
  const move = now => {
    const share = now < end ? clamp((now - start) / milliseconds) : 1;
    show(share);
    if (share < 1) thing.frame = requestAnimationFrame(move);
    else over();
  };
  move(start);
}

// A button and a slider for what goes step by step, so many milliseconds each. `show(done)` draws the state after so many
// steps, also between two of them, and returns it in words. `clock` remembers how many are `done`; at first all are.
// Without steps there is nothing to play, and the player is hidden.
export function player(host, clock, {last, pace, label, show}) {
  const find = parts(host, '<button></button><input type="range">');
  const button = find('button');
  const slider = find('input');
  const go = done => {
    clock.done = clamp(done, 0, last);
    slider.setAttribute('aria-valuetext', show(clock.done));
    slider.value = Math.ceil(clock.done);
    button.textContent = clock.playing ? '❚❚ Pause' : '▶ Play';
  };
  clock.stop = (done = clock.done) => {
    cancelAnimationFrame(clock.frame);
    clock.playing = false;
    go(done);
  };
  clock.play = () => {
    const from = clock.done >= last ? 0 : clock.done;
    clock.playing = true;
    const step = share => host.isConnected && go(from + (last - from) * share);
    glide(clock, pace * (last - from), step, () => clock.stop(last));
  };
  host.hidden = !last;
  slider.max = last;
  slider.setAttribute('aria-label', label);
  slider.oninput = () => clock.stop(Number(slider.value));
  button.onclick = () => (clock.playing ? clock.stop() : clock.play());
  if (!clock.playing) go(clock.done ?? last);
}

// Make the fixed parts of a picture once, by `html`; return what finds a part by a selector.
export function parts(root, html) {
  if (!root.firstChild) root.innerHTML = html;
  return selector => root.querySelector(selector);
}

// A group of buttons, of which one is in the tab order: the arrow keys, Home and End move, Enter, Space or a click picks.
// Each has a name within its picture, by which the focus finds it when it is drawn anew.
export function rove(name, buttons, start, pick = () => {}, [back, forth] = ['ArrowLeft', 'ArrowRight']) {
  const enter = place => buttons.forEach((button, i) => button.setAttribute('tabindex', i === place ? 0 : -1));
  enter(start);
  buttons.forEach((button, i) => {
    const goals = {Home: buttons[0], End: buttons.at(-1), [back]: buttons[i - 1], [forth]: buttons[i + 1]};
    button.dataset.part = `${name} ${i}`;
    button.addEventListener('focus', () => enter(i));
    button.onclick = () => {
      button.focus();
      pick(i);
    };
    button.onkeydown = event => {
      const picks = event.key === 'Enter' || event.key === ' ';
      if (!picks && !(event.key in goals)) return;
      event.preventDefault();
      if (picks) pick(i);
      else goals[event.key]?.focus();
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
  root.redraw = () => {
    root.width = root.clientWidth;
    if (root.width) keepFocus(root, redraw);
  };
  root.redraw();
  root.watched ??= new ResizeObserver(() => root.width === root.clientWidth || root.redraw());
  root.watched.observe(root);
}
