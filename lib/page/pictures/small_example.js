// The small example that plays: both lanes, a ruler of floats for each operation, the last one shared, all at one scale.
// At each step the exact result appears between two ticks and moves to the nearest one. `example` has the `lanes` (kind,
// text, how), `rulers` (lists of ticks: place in floats, text), and `steps` (kind, ruler, text, the text `before` its
// operands are known, the places `from` and `at`, `value`, `moved`). Its clock counts in seconds.
const CLOCK = {lead: 0.6, step: 1.4, appear: 0.25, rest: 0.7, land: 1.0};

function lastSecond(example) {
  return CLOCK.lead + CLOCK.step * example.steps.length + 0.6;
}

// The seconds at which something has happened: where the arrow keys stop.
function stopsOf(example) {
  return [0, ...example.steps.map((step, i) => CLOCK.lead + CLOCK.step * i + CLOCK.land), lastSecond(example)];
}

function drawSmallExample(host, example, time) {
  const wide = host.clientWidth >= 640;
  const height = wide ? 302 : 424;
  const [svg, width] = sheet(host, height, example.label);
  const left = wide ? 158 : 0;
  const half = (width - left - 24) / 2;
  const [top, second, shared] = wide ? [46, 136, 238] : [78, 200, 334];
  const rulers = [
    {x: left, y: top, wide: width - left, center: 0.55},
    {x: left, y: second, wide: half, center: 0.5},
    {x: left + half + 24, y: second, wide: half, center: 0.5},
    {x: left, y: shared, wide: width - left, center: 0.55},
  ];
  const unit = Math.min(100, half / 2.3);
  const last = rulers.length - 1;
  const begins = i => CLOCK.lead + CLOCK.step * i;
  const landed = i => time >= begins(i) + CLOCK.land;
  const share = (from, seconds) => Math.max(0, Math.min(1, (time - from) / seconds));
  const over = landed(example.steps.length - 1);

  example.lanes.forEach((lane, i) => {
    const y = wide ? rulers[i].y : [14, 146][i];
    symbol(svg, 7, y - 5, lane.kind, 5.5);
    write(svg, 20, y, lane.text, `strong code text-${lane.kind}`);
    write(svg, wide ? 20 : 150, y + (wide ? 18 : 0), lane.how, 'quiet');
  });
  rulers.forEach(drawRuler);
  if (over) drawDistance();
  example.steps.forEach(drawStep);

  function across(ruler, place) {
    return ruler.x + ruler.wide * ruler.center + place * unit;
  }

  function drawRuler(ruler, number) {
    const reach = number === last ? 24 : 8;
    rule(svg, ruler.x, ruler.y, ruler.x + ruler.wide, ruler.y, 'axis');
    const ends = example.steps.filter((step, i) => step.ruler === number && landed(i)).map(step => step.at);
    for (const [place, text] of example.rulers[number]) {
      const x = across(ruler, place);
      if (x < ruler.x + 2 || x > ruler.x + ruler.wide - 2) continue;
      rule(svg, x, ruler.y - reach, x, ruler.y + reach, 'tick');
      const room = x > ruler.x + 36 && x < ruler.x + ruler.wide - 36 && unit > 82;
      if (room && !ends.includes(place)) write(svg, x, ruler.y + reach + 16, text, 'value quiet', 'middle');
    }
    if (number) return;
    const [from, to] = [across(ruler, 1), across(ruler, 2)];
    rule(svg, from + 3, ruler.y - 16, to - 3, ruler.y - 16, 'axis');
    write(svg, (from + to) / 2, ruler.y - 21, '1 float', 'quiet', 'middle');
  }

  function drawStep(step, i) {
    const ruler = rulers[step.ruler];
    const both = step.ruler === last;
    const first = step.kind === 'first';
    const y = ruler.y + (both ? (first ? -13 : 13) : 0);
    const known = both ? example.steps.every((other, k) => k >= i || other.kind !== step.kind || landed(k)) : true;
    const begun = time >= begins(i);
    const titleY = both && !first ? ruler.y + 58 : ruler.y - (both ? 34 : 16);
    const look = begun ? `strong code text-${step.kind}` : 'quiet code';
    write(svg, ruler.x, titleY, known ? step.text : step.before, `${look} halo`);
    if (!begun) return;
    const [exact, end] = [across(ruler, step.from), across(ruler, step.at)];
    const eased = share(begins(i) + CLOCK.rest, CLOCK.land - CLOCK.rest);
    const x = exact + (end - exact) * eased * eased * (3 - 2 * eased);
    const sliver = {x: Math.min(exact, x), y: y - 4, width: Math.abs(x - exact), height: 8, class: `fill-${step.kind}`};
    draw(svg, 'rect', {...sliver, opacity: 0.45});
    const mark = draw(svg, 'g', {opacity: share(begins(i), CLOCK.appear)});
    symbol(mark, exact, y, 'exact', 5);
    if (eased) symbol(svg, x, y, step.kind, 6);
    if (!landed(i)) return;
    const below = both && !first ? ruler.y + 40 : ruler.y + 24;
    const aside = both && unit < 82 ? (first ? 'start' : 'end') : 'middle';
    write(svg, end, both ? ruler.y + 40 : below, step.value, `value strong halo text-${step.kind}`, aside);
    const told = both ? (first ? ruler.y - 34 : ruler.y + 58) : ruler.y - 14;
    if (both || wide) write(svg, both ? width : (exact + end) / 2, told, step.moved, `text-${step.kind} halo`, both ? 'end' : 'middle');
  }

  function drawDistance() {
    const ruler = rulers[last];
    const places = example.steps.filter(step => step.ruler === last).map(step => across(ruler, step.at));
    const [from, to] = [Math.min(...places), Math.max(...places)];
    draw(svg, 'rect', {x: from + 1, y: ruler.y - 7, width: to - from - 2, height: 14, class: 'fill-differ', opacity: 0.25});
    write(svg, (from + to) / 2, ruler.y + 4.5, example.apart, 'strong text-differ halo', 'middle');
  }
}

// Play, pause, a scrubber, the arrow keys. `shown` is called whenever the clock has moved, with the seconds and the end.
function playSmallExample(section, example, shown) {
  const find = parts(section, `
    <h2></h2><p class="told quiet"></p><div class="host small"></div>
    <div class="clock"><button></button><input type="range" min="0" step="0.01">
      <button class="next">Now your network →</button></div>`);
  const [button, slider, host] = [find('button'), find('input'), find('.host')];
  const end = lastSecond(example);
  find('h2').textContent = example.heading;
  slider.max = end;
  slider.setAttribute('aria-label', 'The steps of the small example');
  const clock = section.clock ??= {time: 0, playing: false};
  clock.seek = time => {
    clock.time = Math.max(0, Math.min(end, time));
    const stop = stopsOf(example).findLastIndex(second => second <= clock.time);
    const current = example.steps[Math.max(0, Math.floor((clock.time - CLOCK.lead) / CLOCK.step))];
    const text = clock.time < CLOCK.lead ? example.begin : stop > example.steps.length ? example.end : current?.told;
    find('.told').textContent = text ?? example.end;
    drawSmallExample(host, example, clock.time);
    slider.value = clock.time;
    slider.setAttribute('aria-valuetext', find('.told').textContent);
    if (clock.time >= end) clock.playing = false;
    button.textContent = clock.playing ? '❚❚ Pause' : clock.time >= end ? '↺ Play again' : '▶ Play';
    shown(clock.time >= end);
  };
  clock.play = () => {
    if (clock.time >= end) clock.time = 0;
    clock.playing = true;
    let before = performance.now();
    const frame = now => {
      if (!clock.playing || !section.isConnected) return;
      clock.seek(section.clientWidth ? clock.time + (now - before) / 1000 : clock.time);
      before = now;
      requestAnimationFrame(frame);
    };
    requestAnimationFrame(frame);
    clock.seek(clock.time);
  };
  button.onclick = () => {
    if (!clock.playing) return clock.play();
    clock.playing = false;
    clock.seek(clock.time);
  };
  slider.oninput = () => {
    clock.playing = false;
    clock.seek(Number(slider.value));
  };
  slider.onkeydown = event => {
    const stops = stopsOf(example);
    const at = stops.findLastIndex(second => second <= clock.time + 0.001);
    const to = stepped(event, at, stops.length - 1, {ArrowRight: 1, ArrowUp: 1, ArrowLeft: -1, ArrowDown: -1});
    if (to === null) return;
    clock.playing = false;
    clock.seek(stops[to]);
  };
  return clock;
}
