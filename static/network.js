// The network and the paths of one component through it. Returns a function that lights the ways of operations. `tell`
// hears what is said about the unit under the pointer or with the focus, null if there is none. `network` is a Network of
// lib/discrepancy/paths.
const {shape, write, writeInside, rule, box, sheet, rove} = await import('./kit.js' + new URL(import.meta.url).search);

export function drawNetwork(host, network, pick, tell) {
  const height = 252;
  const [svg, width] = sheet(host, height, network.label, 'group');
  const {layers, component, first} = network;
  const last = layers.length - 1;
  const rowsOf = layer => layer.units.length + (layer.more.length ? 1 : 0);
  const pitchOf = layer => Math.min(46, (height - 34) / rowsOf(layer));
  const crowded = [0, last].some(l => pitchOf(layers[l]) < 23);
  const margin = crowded ? 32 : 13;
  const across = layer => margin + (layer / last) * (width - 2 * margin);
  const isFirst = (l, number) => first?.layer === l && first.number === number;
  const places = new Map();
  const [faint, strong, lit, nodes, names] = Array.from({length: 5}, () => shape(svg, 'g'));

  layers.forEach(placeUnits);
  network.flows.forEach(drawFlows);
  layers.forEach(drawUnits);
  if (first) writeInside(names, across(first.layer), 12, `● ${first.text}`, 'text-differ strong halo', width);
  return light;

  function placeUnits(layer, l) {
    const [rows, pitch] = [rowsOf(layer), pitchOf(layer)];
    const top = 26 + (height - 34 - rows * pitch) / 2;
    layer.units.forEach((unit, i) => places.set(`${l}:${unit}`, [across(l), top + (i + 0.5) * pitch]));
    if (!layer.more.length) return;
    const text = layer.more[across(1) - across(0) < 74 ? 1 : 0];
    write(names, across(l), top + (rows - 0.5) * pitch + 5, text, 'quiet halo', 'middle');
  }

  function drawFlows(digits, l) {
    const next = layers[l + 1].units;
    [...digits].map(Number).forEach((digit, i) => {
      if (!digit) return;
      const [from, to] = [layers[l].units[Math.floor(i / next.length)], next[i % next.length]];
      const edge = connect(digit > 1 ? strong : faint, l, from, to, digit > 1 ? 'flow' : 'grid');
      if (digit > 1) edge.setAttribute('stroke-width', digit / 2);
    });
  }

  function connect(group, l, from, to, look) {
    const [start, end] = [places.get(`${l}:${from}`), places.get(`${l + 1}:${to}`)];
    return start && end ? rule(group, ...start, ...end, look) : null;
  }

  function drawUnits(layer, l) {
    const outer = l === 0 || l === last;
    const size = outer && !crowded ? 11 : Math.min(6.5, pitchOf(layer) / 2 - 1);
    const beside = crowded ? (l ? 10 : -10) : 0;
    const anchor = crowded ? (l ? 'start' : 'end') : 'middle';
    const groups = layer.units.map((unit, i) => {
      const [x, y] = places.get(`${l}:${unit}`);
      const me = l === 0 && unit === component;
      const look = `unit ${layer.off.includes(unit) ? 'off' : ''} ${me ? 'me' : ''} ${isFirst(l, unit) ? 'differs' : ''}`;
      const role = l ? {role: 'img'} : {role: 'button', class: 'input', 'aria-pressed': me};
      const about = describe(layer, i);
      const group = shape(nodes, 'g', {'aria-label': l ? about : `Component ${unit}`, ...role});
      box(group, x - 22, y - pitchOf(layer) / 2, 44, pitchOf(layer), 'reach');
      shape(group, 'circle', {cx: x, cy: y, r: size, class: look});
      if (outer) write(group, x + beside, y + 4.5, layer.names[i], isFirst(l, unit) && !crowded ? 'on' : '', anchor);
      if (l) {
        group.onpointerenter = group.onfocus = () => tell(about);
        group.onpointerleave = group.onblur = () => tell(null);
      }
      return group;
    });
    const at = Math.max(0, layer.units.indexOf(l ? first?.number : component));
    rove(`layer ${l}`, groups, at, i => l || pick(layer.units[i]));
  }

  function describe({units, names, shares, off}, i) {
    if (off.includes(units[i])) return `${names[i]} is off: its computed slope is 0.`;
    return shares.length ? `${shares[i]} of all terms, by size, go through ${names[i]}.` : names[i];
  }

  // An operation of the first layer lights its unit's line to the component, and the lines to the outputs it is of.
  function light(operations) {
    lit.replaceChildren();
    for (const {kind, unit, row} of operations.filter(operation => operation.unit !== null)) {
      const look = `lit stroke-${kind}`;
      connect(lit, 0, component, unit, look);
      const outputs = row === null ? layers[last].units : [row];
      if (last === 2) outputs.forEach(output => connect(lit, 1, unit, output, look));
    }
  }
}
