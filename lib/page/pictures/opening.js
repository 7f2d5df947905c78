// The opening picture of *Why do they differ?*: two results, their bits, how they got there, where in the network, and how
// often. `data` has `example`, one component (results, drift, network: the same until another one is picked), `small`,
// the small example that plays in its place, `histogram`, which grows, and whether it is the `whole`; with
// `first` the small example opens, and plays once the histogram has grown. Sends `pick` with the key of a
// bar, `component` with the number of one, and `more`.
const PARTS = `
  <section class="both">
    <div class="head"><h2></h2><button class="back">← A small example</button></div>
    <div class="host two-results"></div>
  </section>
  <section class="of-small"><h2></h2><p class="told"></p><div class="host small"></div>
    <div class="row"><div class="clock"></div><button class="next">Now your network →</button></div></section>
  <section class="of-network"><h2 data-of="drift"></h2><p class="told" aria-hidden="true"></p>
    <div class="host drift"></div><div class="clock"></div></section>
  <section class="of-network"><h2 data-of="network"></h2><p class="note" data-of="network"></p>
    <div class="host network"></div></section>
  <section>
    <h2 data-of="histogram"></h2><p class="note" data-of="histogram"></p><div class="host histogram"></div>
    <div class="row"><button class="more">10× more samples</button></div>
  </section>`;
const SEEN = window.lastBit.get('seen') ?? new Set(); // what has played once does not play again by itself
window.lastBit.set('seen', SEEN);

DRAW.opening = (root, data, act) => {
  const find = parts(root, PARTS);
  const live = root.closest('.live');
  root.data = data;
  if (!data.first) SEEN.add('small');
  if (root.first !== data.first) root.small = !SEEN.has('small');
  root.first = data.first;
  find('.back').onclick = () => turn(true);
  find('.next').onclick = () => turn(false);
  find('.more').onclick = () => act('more', 1);
  keepDrawn(root, arrange);

  function turn(small) {
    root.small = small;
    root.drawn = {};
    SEEN.add('small');
    root.clocks?.small.stop?.();
    const focused = root.querySelector(':focus');
    arrange();
    if (focused) find(small ? '.next' : '.back').focus();
    if (small) root.clocks.small.play();
  }

  function arrange() {
    const {small, example, histogram, whole} = root.data;
    root.clocks ??= {small: {at: STILL.matches || SEEN.has('small') ? undefined : 0}, drift: {}};
    root.classList.toggle('waiting', !example && !root.small);
    root.classList.toggle('playing', root.small);
    live.querySelector('.beneath').classList.toggle('away', root.small); // it tells of the network
    find('.back').hidden = root.small;
    if (root.small && changed(root, 'small', small)) drawSmall(small);
    if (!root.small && example && changed(root, 'example', example)) drawExample(example);
    if (changed(root, 'histogram', [histogram, root.small])) drawFrequencies(histogram);
    // Not under the hands of a visitor who has the scrubber.
    const untouched = !root.clocks.small.at && !find('.of-small .clock').matches(':focus-within');
    if (root.small && whole && !SEEN.has('small') && !STILL.matches && untouched) root.clocks.small.play();
    if (whole) SEEN.add('small');
  }

  function drawSmall(small) {
    const last = small.steps.length;
    find('.of-small h2').textContent = small.heading;
    drawBits(find('.two-results'), small.results);
    const show = at => {
      const done = small.steps[Math.ceil(at) - 1]?.told;
      const said = at ? (at < last ? done : small.end) : small.begin;
      find('.of-small .told').textContent = said;
      find('.two-results').classList.toggle('veiled', at < last);
      drawSmallExample(find('.small'), small, at);
      return said;
    };
    player(find('.of-small .clock'), root.clocks.small, {last, pace: 1400, label: 'The steps of the small example', show});
  }

  function drawExample({results, drift, network, key}) {
    find('.both h2').textContent = results.heading;
    find('.two-results').classList.remove('veiled');
    head('drift', drift);
    head('network', network);
    drawBits(find('.two-results'), results, flip => {
      find('.both h2').textContent = flip.heading;
      live.querySelector('.beneath').classList.toggle('away', Boolean(flip.kind)); // it tells of the results
      sums = drawDrift(find('.host.drift'), flip.kind ? moved(drift, results, flip) : drift);
      clock.stop(clock.at ?? last);
      follow();
    });
    const light = drawNetwork(find('.host.network'), network, unit => act('component', unit));
    let sums = drawDrift(find('.host.drift'), drift);
    const {last} = sums;
    const told = find('.of-network .told');
    const show = at => {
      const stops = sums.move(at);
      light(stops);
      told.replaceChildren();
      stops.forEach(stop => append(told, 'span', `text-${stop.kind}`, stop.told));
      if (!stops.length) told.textContent = drift.note;
      return stops.map(stop => `${stop.name}: ${stop.told}`).join('; ') || drift.label;
    };
    if (root.example !== key) root.clocks.drift = {};
    root.example = key;
    const clock = root.clocks.drift;
    find('.of-network .clock').hidden = !last;
    player(find('.of-network .clock'), clock, {last, pace: Math.min(500, 6000 / last), label: 'Operation by operation', show});
    follow();

    function follow() {
      const {reach} = sums;
      reach.onpointermove = reach.onpointerdown = event => {
        const {left, width} = reach.getBoundingClientRect();
        clock.stop(Math.max(1, Math.ceil(last * (event.clientX - left) / width)));
      };
      reach.onpointerleave = event => event.pointerType === 'mouse' && clock.stop(last);
    }
  }

  // The float line with the result of a flipped bit where that lies, or at the end beyond which it does.
  function moved(drift, {sides}, {kind, text, from, to}) {
    const end = drift.ends.find(end => end.kind === kind);
    const at = end && Number.isFinite(to) ? end.at + (to - from) / drift.ulp : NaN;
    const ends = drift.ends.filter(end => end.kind !== kind || Number.isFinite(at)).map(end => {
      const name = sides.find(side => side.kind === end.kind)?.name ?? end.name;
      const own = {...end, name, shared: false};
      if (end.kind !== kind) return own;
      return {...own, at: Math.max(drift.low, Math.min(drift.high, at)), text, short: text};
    });
    return {...drift, ends};
  }

  function drawFrequencies(histogram) {
    if (!root.clientWidth) return;
    head('histogram', histogram);
    drawHistogram(find('.host.histogram'), {...histogram, picked: root.small ? null : histogram.picked}, key => act('pick', key));
  }

  function head(name, part) {
    find(`h2[data-of=${name}]`).textContent = part.heading;
    const note = find(`p[data-of=${name}]`);
    if (note) note.textContent = part.note;
  }
};
