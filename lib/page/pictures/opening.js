// The opening picture of *Why do they differ?*: two results of one component, how they got there, where in the network,
// and how often. `data` has `example` (results, drift, network: the same until another one is picked) and `histogram`,
// which grows. While an example is awaited, the former one stays, faintly. Sends `pick` with the key of a bar.
const PARTS = `
  <section class="both"><h2 data-of="results"></h2><div class="host two-results"></div></section>
  <section><h2 data-of="drift"></h2><p class="told" aria-hidden="true"></p><div class="host drift"></div></section>
  <section><h2 data-of="network"></h2><p class="note" data-of="network"></p><div class="host network"></div></section>
  <section>
    <h2 data-of="histogram"></h2><p class="note" data-of="histogram"></p><div class="host histogram"></div>
  </section>`;

DRAW.opening = (root, data, act) => {
  const find = parts(root, PARTS);
  root.classList.add('opening');
  keepDrawn(root, () => {
    root.classList.toggle('waiting', !data.example);
    if (data.example && changed(root, 'example', data.example)) drawExample();
    if (changed(root, 'histogram', data.histogram)) drawFrequencies();
  });

  function drawExample() {
    const {results, drift, network, key} = data.example;
    head('results', results);
    head('drift', drift);
    head('network', network);
    drawBits(find('.two-results'), results);
    const light = drawNetwork(find('.host.network'), network);
    const host = find('.host.drift');
    if (root.example !== key) host.stop = null;
    root.example = key;
    const told = find('.told');
    const tell = stop => {
      told.textContent = stop ? stop.told : drift.note;
      told.className = stop ? `told text-${stop.kind}` : 'told quiet';
      light(stop);
    };
    tell(null);
    followCursor(host, drawDrift(host, drift), drift.label, tell);
  }

  function drawFrequencies() {
    head('histogram', data.histogram);
    drawHistogram(find('.host.histogram'), data.histogram, key => act("pick", key));
  }

  function head(name, part) {
    find(`h2[data-of=${name}]`).textContent = part.heading;
    const note = find(`p[data-of=${name}]`);
    if (note) note.textContent = part.note;
  }
};
