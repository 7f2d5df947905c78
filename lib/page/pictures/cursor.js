// The cursor of a drift: the pointer finds the nearest step; ← → go from step to step, Home and End to the ends of a
// running sum, ↑ ↓ to the other one. `tell` is called with the step, or with null when the pointer leaves.
function followCursor(host, {show, stops, reach}, label, tell) {
  const kinds = [...new Set(stops.map(stop => stop.kind))];
  const range = {'aria-valuemin': 1, 'aria-valuemax': stops.length};
  const attributes = {tabindex: 0, role: 'slider', 'aria-label': label, ...range};
  const names = [...Object.keys(attributes), 'aria-valuenow', 'aria-valuetext'];
  names.forEach(name => host.removeAttribute(name));
  host.onkeydown = null;
  if (!stops.length) return;
  Object.entries(attributes).forEach(([name, value]) => host.setAttribute(name, value));
  host.setAttribute('aria-valuenow', 1);
  host.setAttribute('aria-valuetext', stops.find(stop => stop.kind === 'first').told);
  if (host.stop) moveTo(stops.find(stop => stop.kind === host.stop.kind && stop.place === host.stop.place));

  reach.onpointermove = point;
  reach.onpointerdown = point;
  reach.onpointerleave = event => {
    if (event.pointerType === 'mouse' && !hasFocus(host)) moveTo(null);
  };
  host.onblur = () => moveTo(null);
  host.onkeydown = event => {
    const own = stops.filter(stop => stop.kind === (host.stop?.kind ?? 'first'));
    const place = host.stop ? host.stop.place : -1;
    const other = stops.filter(stop => stop.kind !== own[0].kind);
    const middle = host.stop ? (host.stop.start + host.stop.end) / 2 : 0;
    const to = stepped(event, place, own.length - 1);
    if (to !== null) moveTo(own[to]);
    if (event.key !== 'ArrowUp' && event.key !== 'ArrowDown') return;
    const across = other.find(stop => stop.end > middle);
    if (!across) return;
    event.preventDefault();
    moveTo(across);
  };

  function point(event) {
    const box = reach.getBoundingClientRect();
    const [x, y] = [event.clientX - box.left, event.clientY - box.top + Number(reach.getAttribute('y'))];
    const away = stop => {
      const aside = Math.max(stop.start - x, 0, x - stop.end);
      return 4 * aside * aside + (stop.y - y) ** 2;
    };
    moveTo(stops.reduce((best, stop) => (away(stop) < away(best) ? stop : best)));
  }

  function moveTo(stop) {
    if (stop === host.stop) return;
    host.stop = stop;
    show(stop);
    tell(stop);
    if (!stop) return;
    host.setAttribute('aria-valuenow', stops.indexOf(stop) + 1);
    host.setAttribute('aria-valuetext', stop.told);
  }
}
