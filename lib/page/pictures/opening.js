// The opening picture of *Why do they differ?*: two results, their bits, how they got there, where in the network, and how
// often. `data` has `example`, one component (results, drift, network: the same until another one is picked), `small`,
// the small example that plays in its place, `histogram`, which grows, and its stages so far, `growth`; with `first` the
// small example opens. While an example is awaited, the former one stays, faintly. Sends `pick` with the key of a bar,
// and `more`.
const PARTS = `
  <section class="both">
    <div class="head"><h2></h2><div class="choice" role="group" aria-label="What is drawn">
      <button>A small example</button><button>Your network</button></div></div>
    <div class="host two-results"></div>
  </section>
  <section class="of-small"></section>
  <section class="of-network"><h2 data-of="drift"></h2><p class="told" aria-hidden="true"></p>
    <div class="host drift"></div></section>
  <section class="of-network"><h2 data-of="network"></h2><p class="note" data-of="network"></p>
    <div class="host network"></div></section>
  <section>
    <div class="head"><h2 data-of="histogram"></h2>
      <span><button class="again" aria-label="Watch it grow again">↺</button><button
        class="more" aria-label="Ten times as many samples">×10</button></span></div>
    <p class="note" data-of="histogram"></p><div class="host histogram"></div>
  </section>`;
const STAGE = 240; // milliseconds
const SEEN = window.lastBit.get('seen') ?? new Set(); // what has played once does not play again by itself
window.lastBit.set('seen', SEEN);

DRAW.opening = (root, data, act) => {
  const find = parts(root, PARTS);
  const [toSmall, toNetwork] = root.querySelectorAll('.choice button');
  root.classList.add('opening');
  root.data = data;
  if (!data.first) SEEN.add('small');
  root.small ??= !SEEN.has('small');
  if (!data.first && root.first) root.small = false;
  root.first = data.first;
  toSmall.onclick = () => turn(true);
  toNetwork.onclick = () => turn(false);
  find('.of-small').onclick = event => event.target.className === 'next' && turn(false);
  find('.more').onclick = () => act('more', 1);
  find('.again').onclick = () => grow();
  keepDrawn(root, arrange);

  function turn(small) {
    root.small = small;
    root.drawn = {};
    SEEN.add('small');
    arrange();
    if (root.clock) root.clock.playing = false;
    if (small) root.clock?.play();
  }

  function arrange() {
    const {data} = root;
    root.classList.toggle('waiting', !data.example && !root.small);
    root.classList.toggle('playing', root.small);
    root.closest('.live').querySelector('.beneath').classList.toggle('away', root.small); // it tells of the network
    toSmall.setAttribute('aria-pressed', root.small);
    toNetwork.setAttribute('aria-pressed', !root.small);
    if (root.small && changed(root, 'small', data.small)) arrangeSmall();
    if (!root.small && data.example && changed(root, 'example', data.example)) drawExample();
    find('.again').hidden = !data.growth.length || STILL.matches;
    if (root.growing) return;
    if (!root.small && data.growth.length && !SEEN.has(data.example?.of ?? '')) grow();
    else if (changed(root, 'histogram', data.histogram)) drawFrequencies(data.histogram);
  }

  function arrangeSmall() {
    const {small} = root.data;
    find('.both h2').textContent = small.results.heading;
    drawBits(find('.two-results'), small.results);
    root.clock = playSmallExample(find('.of-small'), small, over => {
      find('.two-results').classList.toggle('veiled', !over);
    });
    if (SEEN.has('small') || STILL.matches) root.clock.seek(root.clock.time || Infinity);
    else root.clock.play();
    SEEN.add('small');
  }

  function drawExample() {
    const {results, drift, network, key} = root.data.example;
    find('.both h2').textContent = results.heading;
    find('.two-results').classList.remove('veiled');
    head('drift', drift);
    head('network', network);
    drawBits(find('.two-results'), results);
    const light = drawNetwork(find('.host.network'), network);
    const host = find('.host.drift');
    if (root.example !== key) host.stop = null;
    root.example = key;
    const told = find('.of-network .told');
    const tell = stop => {
      told.textContent = stop ? stop.told : drift.note;
      told.className = stop ? `told text-${stop.kind}` : 'told quiet';
      light(stop);
    };
    tell(null);
    followCursor(host, drawDrift(host, drift), drift.label, tell);
  }

  function drawFrequencies(histogram) {
    head('histogram', histogram);
    drawHistogram(find('.host.histogram'), histogram, key => act('pick', key));
  }

  // The stages of the tally one after the other, then the whole: the claim above changes with them.
  function grow(stage = 0) {
    const {growth, histogram, example} = root.data;
    SEEN.add(example?.of ?? '');
    root.growing = root.isConnected && !STILL.matches && stage < growth.length;
    if (!root.growing) {
      changed(root, 'histogram', histogram);
      drawFrequencies(histogram);
      return claim(root, root.data.claim);
    }
    const {shares, equal, claim: said, ...head} = growth[stage];
    const bars = histogram.bars.map((bar, i) => ({...bar, share: shares[i], above: bar.key ? '' : equal}));
    drawFrequencies({...histogram, ...head, bars, ghost: null});
    claim(root, said);
    setTimeout(() => grow(stage + 1), STAGE);
  }

  function claim(root, text) {
    put(root.closest('.live').querySelector('h1'), text);
  }

  function head(name, part) {
    find(`h2[data-of=${name}]`).textContent = part.heading;
    const note = find(`p[data-of=${name}]`);
    if (note) note.textContent = part.note;
  }
};
