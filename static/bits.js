// The two results of one number, a line each: the value, then its bits. What differs is in the side's colour. A bit is a
// button that flips it: then the number, the bits that differ and the heading are those of the flipped bits.
// `results` is a Bits of lib/discrepancy/bits. `tell` hears of a flip: the new heading, the kind of the side, its number
// before and after and the latter as a text; when the bit is flipped back, only the heading.
const {set, shape, append, symbol, rove} = await import('./kit.js' + new URL(import.meta.url).search);

export function drawBits(host, {label, heading, fields, width, sides}, tell = () => {}) {
  const narrow = host.clientWidth < 640;
  const longest = Math.max(...sides.map(side => side.text.length));
  const beside = narrow ? 0 : 150 + longest * 10.4;
  const room = host.clientWidth - beside - 10 * (fields.length - 1);
  const pitch = Math.min(27, Math.max(narrow ? 10.5 : 9, room / width));
  const hidden = width * pitch <= room + 1 ? 0 : width - Math.floor((room - 22) / pitch);

  host.replaceChildren();
  const table = append(host, 'div', narrow ? 'results narrow' : 'results');
  const [cells, values] = [[], []];
  set(table, {role: 'group', 'aria-label': label}).style.setProperty('--pitch', `${pitch}px`);
  sides.forEach(({kind, name, bits}, side) => {
    const title = append(table, 'span', `name text-${kind}`);
    symbol(shape(title, 'svg', {width: 14, height: 14}), 7, 7, kind, 5.5);
    append(title, 'span', '', name);
    const value = append(table, 'span', 'number');
    values.push([append(value, 'span'), append(value, 'b', `text-${kind}`)]);
    drawFields('bits', (group, field, start, end) => {
      for (let place = start; place < end && bits; place++) {
        const cell = append(group, 'i');
        set(cell, {role: 'button', 'aria-label': `${name}: bit ${place}, ${bits[place]}`});
        cells.push(Object.assign(cell, {side, place}));
      }
    });
  });
  const hint = 'Press a bit to flip it.';
  const status = set(append(table, 'span', 'flip quiet', hint), {role: 'status'});
  rove('bit', cells, cells.length - 1, i => flip(cells[i]));
  drawFields('bits names quiet', (group, field, start, end) => { // the whole name where it fits
    const wide = (end - start) * pitch;
    group.textContent = wide > field.name.length * 6.5 ? field.name : field.symbol;
    group.style.width = `${wide}px`;
  });
  show(null);

  // One bit at a time; the second click flips it back.
  function flip(cell) {
    const flipped = cell.classList.contains('flipped') ? null : cell;
    const [first, second] = show(flipped);
    if (!flipped) {
      status.textContent = hint;
      tell({heading});
      return;
    }
    const {kind, bits} = sides[cell.side];
    const now = [first, second][cell.side];
    const text = written(numberOf(now, fields), fields);
    status.textContent = `${text}: ${floatsApart(bits, now, fields)} away. Press the bit again to undo.`;
    const differ = [...first].filter((bit, i) => bit !== second[i]).length;
    const apart = `With one bit flipped: ${floatsApart(first, second, fields)} apart, ${differ} of ${width} bits different`;
    tell({heading: first && second ? apart : heading, kind, text, from: numberOf(bits, fields), to: numberOf(now, fields)});
  }

  // Show both sides with the bit of this cell flipped; return their bits.
  function show(flipped) {
    const both = sides.map(({bits}, side) => {
      return side === flipped?.side ? [...bits].with(flipped.place, 1 - bits[flipped.place]).join('') : bits;
    });
    const texts = sides.map(({text}, side) => {
      return side === flipped?.side ? written(numberOf(both[side], fields), fields) : text;
    });
    const start = [...texts[0]].findIndex((letter, i) => letter !== texts[1][i]);
    const same = start < 0 ? texts[0].length : start;
    values.forEach(([common, rest], side) => {
      common.textContent = texts[side].slice(0, same);
      rest.textContent = texts[side].slice(same);
    });
    for (const cell of cells) {
      const {side, place} = cell;
      const differs = both.every(Boolean) && both[0][place] !== both[1][place];
      cell.className = `${differs ? `differs is-${sides[side].kind}` : ''} ${cell === flipped ? 'flipped' : ''}`;
      cell.textContent = both[side][place];
    }
    return both;
  }

  function drawFields(look, fill) {
    const row = append(table, 'span', look);
    if (hidden) append(row, 'span', 'cut', look === 'bits' ? '…' : '');
    let start = 0;
    for (const field of fields) {
      const end = start + field.bits;
      if (end > hidden) fill(append(row, 'span', 'field'), field, Math.max(start, hidden), end);
      start = end;
    }
  }
}

// The number of a sign, an exponent and a fraction in bits.
export function numberOf(bits, fields) {
  const [, wide, fine] = fields.map(field => field.bits);
  const exponent = parseInt(bits.slice(1, 1 + wide), 2);
  const fraction = parseInt(bits.slice(1 + wide), 2) / 2 ** fine;
  const bias = 2 ** (wide - 1) - 1;
  const finite = (fraction + Math.sign(exponent)) * 2 ** (Math.max(1, exponent) - bias);
  const size = exponent > 2 * bias ? (fraction ? NaN : Infinity) : finite;
  return bits[0] === '1' ? -size : size;
}

// A number in as many digits as tell all floats apart.
export function written(number, fields) {
  const digits = Math.ceil(1 + (fields[2].bits + 1) * Math.log10(2));
  return number.toPrecision(digits).replaceAll('-', '−').replace('Infinity', '∞');
}

// Floats lie on their line in the order of their bits, read as whole numbers with a sign; infinities and NaN do not.
export function floatsApart(first, second, fields) {
  const both = [first, second];
  if (!both.every(bits => Number.isFinite(numberOf(bits, fields)))) return 'no number of floats';
  const [from, to] = both.map(bits => BigInt(`0b${bits.slice(1)}`) * (bits[0] === '1' ? -1n : 1n));
  const steps = to > from ? to - from : from - to;
  return `${steps.toLocaleString('en')} ${steps === 1n ? 'float' : 'floats'}`;
}
