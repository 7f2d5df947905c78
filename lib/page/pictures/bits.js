// The two results of one component, a line each: the value, then its bits. What differs is in the side's colour. A bit is
// a button that flips it, which says the value that this gives and how many floats away it is.
// `results` has a `label` in words, `fields` (name and number of bits), a `width` in bits, and two `sides`: `kind`,
// `name`, the digits that both values `share` and the `rest`, and `bits`. `differ` has the places of bits that differ.
function drawBits(host, {label, fields, width, sides, differ}) {
  const narrow = host.clientWidth < 640;
  const longest = Math.max(...sides.map(side => side.share.length + side.rest.length));
  const beside = narrow ? 0 : 150 + longest * 10.4;
  const room = host.clientWidth - beside - 10 * (fields.length - 1);
  const pitch = Math.min(27, Math.max(narrow ? 10.5 : 9, room / width));
  const hidden = width * pitch <= room + 1 ? 0 : width - Math.floor((room - 22) / pitch);

  host.replaceChildren();
  const table = append(host, 'div', narrow ? 'results narrow' : 'results');
  const cells = [];
  set(table, {role: 'group', 'aria-label': label}).style.setProperty('--pitch', `${pitch}px`);
  for (const {kind, name, share, rest, bits} of sides) {
    const title = append(table, 'span', `name text-${kind}`);
    symbol(draw(title, 'svg', {width: 14, height: 14}), 7, 7, kind, 5.5);
    append(title, 'span', '', name);
    const value = append(table, 'span', 'number');
    append(value, 'span', '', share);
    append(value, 'b', `text-${kind}`, rest);
    drawFields('bits', (group, field, start, end) => {
      for (let place = start; place < end; place++) {
        const cell = append(group, 'i', differ.includes(place) ? `differs ${kind}` : '', bits[place]);
        cells.push(set(cell, {role: 'button', 'aria-label': `${name}: bit ${place}, ${bits[place]}`}));
        Object.assign(cell, {bits, place});
      }
    });
  }
  const told = set(append(table, 'span', 'flip quiet', 'Press a bit to flip it.'), {role: 'status'});
  rove('bit', cells, cells.length - 1, i => flip(cells[i]));
  drawFields('bits names quiet', (group, field, start, end) => { // the whole name where it fits
    const wide = (end - start) * pitch;
    group.textContent = wide > field.name.length * 6.5 ? field.name : field.symbol;
    group.style.width = `${wide}px`;
  });

  // One bit at a time; the second click flips it back.
  function flip(cell) {
    const back = cell.classList.contains('flipped');
    for (const one of cells) {
      one.classList.toggle('flipped', one === cell && !back);
      one.textContent = one === cell && !back ? 1 - one.bits[one.place] : one.bits[one.place];
    }
    const flipped = `${cell.bits.slice(0, cell.place)}${cell.textContent}${cell.bits.slice(cell.place + 1)}`;
    told.textContent = back ? '' : `${valueOf(flipped, fields)}: ${floatsApart(cell.bits, flipped)}`;
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

// The value of a sign, an exponent and a fraction in bits, in as many digits as tell all floats apart.
function valueOf(bits, fields) {
  const [, wide, fine] = fields.map(field => field.bits);
  const [exponent, fraction] = [parseInt(bits.slice(1, 1 + wide), 2), parseInt(bits.slice(1 + wide), 2) / 2 ** fine];
  const bias = 2 ** (wide - 1) - 1;
  const finite = exponent ? (1 + fraction) * 2 ** (exponent - bias) : fraction * 2 ** (1 - bias);
  const size = exponent > 2 * bias ? (fraction ? NaN : Infinity) : finite;
  return (bits[0] === '1' ? -size : size).toPrecision(Math.ceil(1 + (fine + 1) * Math.log10(2))).replace('-', '−');
}

// Floats lie on their line in the order of their bits, read as whole numbers with a sign.
function floatsApart(one, other) {
  const [from, to] = [one, other].map(bits => BigInt(`0b${bits.slice(1)}`) * (bits[0] === '1' ? -1n : 1n));
  const steps = to > from ? to - from : from - to;
  return `${steps.toLocaleString('en')} ${steps === 1n ? 'float' : 'floats'} away`;
}
