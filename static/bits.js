// The two results of one component, a line each: the value, then its bits. What differs is in the side's colour. A bit is
// a button that flips it: then the number, the bits that differ and the heading are those of the flipped bits.
// `results` has a `label` in words, a `lead` of the heading, `fields` (name and number of bits), a `width` in bits, and two
// `sides`: `kind`, `name`, the value as `text`, and `bits`. `heard` hears of a flip: the
// heading, the kind of the side, the number of its bits before and now and how that is written; of none, but the heading.
const {set, shape, append, symbol, rove} = await import('./kit.js' + new URL(import.meta.url).search);

export function drawBits(host, {label, lead, heading, fields, width, sides}, heard = () => {}) {
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
        cells.push(set(cell, {role: 'button', 'aria-label': `${name}: bit ${place}, ${bits[place]}`}));
        Object.assign(cell, {side, place});
      }
    });
  });
  const told = set(append(table, 'span', 'flip quiet', 'Press a bit to flip it.'), {role: 'status'});
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
    show(flipped);
    if (!flipped) {
      told.textContent = '';
      heard({heading});
      return;
    }
    const {kind, bits} = sides[cell.side];
    const now = bitsOf(cell.side, cell);
    const text = written(numberOf(now, fields), fields);
    told.textContent = `${text}: ${floatsApart(bits, now, fields)} away`;
    const [one, other] = [0, 1].map(side => bitsOf(side, cell));
    const differ = [...one].filter((bit, i) => bit !== other[i]).length;
    const apart = other ? `${floatsApart(one, other, fields)} apart, ${differ} of ${width} bits different` : '';
    heard({heading: apart ? `${lead}: ${apart}` : heading, kind, text, from: numberOf(bits, fields), to: numberOf(now, fields)});
  }

  // The bits of a side, with those of the flipped cell.
  function bitsOf(side, flipped) {
    const bits = sides[side].bits;
    if (flipped?.side !== side) return bits;
    return `${bits.slice(0, flipped.place)}${1 - bits[flipped.place]}${bits.slice(flipped.place + 1)}`;
  }

  function show(flipped) {
    const bits = sides.map((_, side) => bitsOf(side, flipped));
    const texts = sides.map(({text}, side) => {
      return flipped?.side === side ? written(numberOf(bits[side], fields), fields) : text;
    });
    const share = [...texts[0]].findIndex((letter, i) => letter !== texts[1][i]);
    const same = share < 0 ? texts[0].length : share;
    values.forEach(([common, rest], side) => {
      common.textContent = texts[side].slice(0, same);
      rest.textContent = texts[side].slice(same);
    });
    for (const cell of cells) {
      const {side, place} = cell;
      const differs = bits.every(Boolean) && bits[0][place] !== bits[1][place];
      cell.className = [differs ? `differs ${sides[side].kind}` : '', cell === flipped ? 'flipped' : ''].filter(Boolean).join(' ');
      cell.textContent = bits[side][place];
    }
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
  const [exponent, fraction] = [parseInt(bits.slice(1, 1 + wide), 2), parseInt(bits.slice(1 + wide), 2) / 2 ** fine];
  const bias = 2 ** (wide - 1) - 1;
  const finite = exponent ? (1 + fraction) * 2 ** (exponent - bias) : fraction * 2 ** (1 - bias);
  const size = exponent > 2 * bias ? (fraction ? NaN : Infinity) : finite;
  return bits[0] === '1' ? -size : size;
}

// A number in as many digits as tell all floats apart.
export function written(number, fields) {
  const digits = Math.ceil(1 + (fields[2].bits + 1) * Math.log10(2));
  return number.toPrecision(digits).replaceAll('-', '−').replace('Infinity', '∞');
}

// Floats lie on their line in the order of their bits, read as whole numbers with a sign; infinities and NaN do not.
export function floatsApart(one, other, fields) {
  if (![one, other].every(bits => Number.isFinite(numberOf(bits, fields)))) return 'no number of floats';
  const [from, to] = [one, other].map(bits => BigInt(`0b${bits.slice(1)}`) * (bits[0] === '1' ? -1n : 1n));
  const steps = to > from ? to - from : from - to;
  return `${steps.toLocaleString('en')} ${steps === 1n ? 'float' : 'floats'}`;
}
