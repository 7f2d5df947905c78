// The network and the paths of one component through it. Returns a function that lights the way of one operation.
// `network` has a `label` in words, the number of the `component`, and `layers`: the numbers of their `units`, the
// `names` of these or none, those that are `off`, and `more`: none, or a long and a short text about units left out.
// `flows[l]` has a digit for each unit of layer l and each of the next one: no line, a faint line, or the width of one.
// `first` is null or {layer, number, text}: the unit in whose gradient the two ways first diverge.
function drawNetwork(host, network) {
  const height = 252;
  const [svg, width] = sheet(host, height, network.label);
  const last = network.layers.length - 1;
  const rowsOf = layer => layer.units.length + (layer.more.length ? 1 : 0);
  const pitchOf = layer => Math.min(46, (height - 34) / rowsOf(layer));
  const crowded = [0, last].some(l => pitchOf(network.layers[l]) < 23);
  const margin = crowded ? 32 : 13;
  const across = layer => margin + (layer / last) * (width - 2 * margin);
  const places = new Map();

  const faint = draw(svg, 'g');
  const strong = draw(svg, 'g');
  const lit = draw(svg, 'g');
  const nodes = draw(svg, 'g');
  const names = draw(svg, 'g');
  network.layers.forEach(placeUnits);
  network.flows.forEach(drawFlows);
  network.layers.forEach(drawUnits);
  if (network.first) markFirst(network.first);
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
    let place = 0;
    for (const from of network.layers[l].units) {
      for (const to of network.layers[l + 1].units) {
        const digit = Number(digits[place]);
        place += 1;
        if (!digit) continue;
        const edge = connect(digit > 1 ? strong : faint, l, from, to, digit > 1 ? 'flow' : 'grid');
        if (digit > 1) edge.setAttribute('stroke-width', digit / 2);
      }
    }
  }

  function connect(group, l, from, to, look) {
    const [start, end] = [places.get(`${l}:${from}`), places.get(`${l + 1}:${to}`)];
    return start && end ? rule(group, ...start, ...end, look) : null;
  }

  function drawUnits(layer, l) {
    const outer = l === 0 || l === last;
    const size = outer && !crowded ? 11 : Math.min(6.5, pitchOf(layer) / 2 - 1);
    layer.units.forEach((unit, i) => {
      const [x, y] = places.get(`${l}:${unit}`);
      const look = ['unit'];
      if (layer.off.includes(unit)) look.push('off');
      if (l === 0 && unit === network.component) look.push('me');
      if (isFirst(l, unit)) look.push('first');
      draw(nodes, 'circle', {cx: x, cy: y, r: size, class: look.join(' ')});
      if (!outer) return;
      const beside = crowded ? (l ? 10 : -10) : 0;
      const anchor = crowded ? (l ? 'start' : 'end') : 'middle';
      write(names, x + beside, y + 4.5, layer.names[i], isFirst(l, unit) && !crowded ? 'on' : '', anchor);
    });
  }

  function isFirst(l, number) {
    return network.first?.layer === l && network.first.number === number;
  }

  function markFirst({layer, number, text}) {
    const place = places.get(`${layer}:${number}`);
    if (!place) return;
    const anchor = layer === last ? 'end' : layer === 0 || place[0] < width / 2 ? 'start' : 'middle';
    const x = layer === last ? width : layer === 0 ? 0 : place[0] - (anchor === 'start' ? 8 : 0);
    write(names, x, Math.max(12, place[1] - 14), text, 'text-differ strong halo', anchor);
  }

  // An operation of the first layer lights its unit's line to the component, and the lines to the outputs it is of.
  function light(operation) {
    lit.replaceChildren();
    if (!operation || operation.unit === null) return;
    const look = `lit stroke-${operation.kind}`;
    connect(lit, 0, network.component, operation.unit, look);
    const outputs = operation.row === null ? network.layers[last].units : [operation.row];
    if (last === 2) outputs.forEach(output => connect(lit, 1, operation.unit, output, look));
    const place = places.get(`1:${operation.unit}`);
    if (!place || last === 1) return;
    const name = network.layers[1].names[network.layers[1].units.indexOf(operation.unit)];
    write(lit, place[0] + 11, place[1] - 7, name, `strong halo text-${operation.kind}`);
  }
}
