// The graph around an address as columns from left to right: where money comes from, who acts, and the tokens. Each
// node has a row of its own, so labels never overlap. A table below shows the same data.
const SVG = 'http://www.w3.org/2000/svg';
const ROW_PX = 62;
const HEIGHT_MIN_PX = 300;
/** Narrower than this the drawing scrolls in its box. */
const WIDTH_MIN_PX = 600;
const COLUMN_NODES_MAX = 10;
/** Half a label on both sides; below the nodes there is room for two lines. */
const PAD_X_PX = 62;
const PAD_Y_PX = 12;
const LABEL_PX = 28;

const TONES = {
  created: 'accent',
  funded: 'warn',
  transferred: 'faint',
  holds: 'faint',
  bought: 'good',
  sold: 'bad',
  added_liquidity: 'good',
  removed_liquidity: 'bad',
  same_cluster: 'faint',
};
const DASHED = new Set(['bought', 'sold', 'same_cluster', 'transferred']);
/** A wallet that does several of these is named after the first. */
const ROLES = [
  'created',
  'funded',
  'removed_liquidity',
  'added_liquidity',
  'bought',
  'sold',
  'holds',
];

const dollars = new Intl.NumberFormat(document.documentElement.lang, {
  style: 'currency',
  currency: 'USD',
  currencyDisplay: 'narrowSymbol',
  notation: 'compact',
  minimumFractionDigits: 0,
  maximumFractionDigits: 1,
});
const valueOf = (edge) => (edge.valueUsd >= 0.01 ? dollars.format(edge.valueUsd) : '');
const short = (address) => `${address.slice(0, 6)}…${address.slice(-4)}`;
const isPool = ({ label }) => label.startsWith('Pool');
/** Pools have no page. */
const linkTo = (node, { dataset }) =>
  isPool(node) ? undefined : `/${node.kind}/${node.address}${dataset.lang}`;
const day = (atS) => new Date(atS * 1000).toISOString().slice(0, 16).replace('T', ' ');

const element = (name, attributes = {}, children = []) => {
  const made = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, String(value));
  made.append(...children);
  return made;
};

/** The column of each node: money flows to the right, tokens come last. */
const columnsOf = (nodes, edges, center) => {
  const columns = new Map([[center, 0]]);
  const spread = (steps) => {
    for (let isMore = true; isMore; ) {
      isMore = false;
      for (const [from, to, step] of steps) {
        if (!columns.has(from) || columns.has(to)) continue;
        columns.set(to, columns.get(from) + step);
        isMore = true;
      }
    }
  };
  const isToken = new Set(nodes.filter(({ kind }) => kind === 'token').map((n) => n.address));
  const funded = edges.filter(({ type }) => type === 'funded');
  spread(funded.map(({ source, target }) => [source, target, 1]));
  // Funders of the centre come before it, unless they only return money to its source.
  for (const { source, target } of funded) {
    if (target === center && !columns.has(source)) columns.set(source, -1);
  }
  const both = edges.filter(
    (e) => e.type !== 'same_cluster' && !(isToken.has(e.source) && isToken.has(e.target)),
  );
  spread(
    both.flatMap((e) => [
      [e.source, e.target, 1],
      [e.target, e.source, 1],
    ]),
  );
  spread(
    edges.flatMap((e) => [
      [e.source, e.target, 1],
      [e.target, e.source, 1],
    ]),
  );
  const wallets = nodes.filter(({ address }) => !isToken.has(address) && columns.has(address));
  const last = Math.max(0, ...wallets.map(({ address }) => columns.get(address))) + 1;
  for (const address of isToken) if (address !== center) columns.set(address, last);
  return columns;
};

const amountsOf = (edges) => {
  const amounts = new Map();
  for (const { source, target, valueUsd = 0, weight } of edges) {
    for (const end of [source, target]) {
      amounts.set(end, (amounts.get(end) ?? 0) + valueUsd + weight);
    }
  }
  return amounts;
};

const roleOf = (node, edges, place) => {
  if (node.kind === 'token') return 'token';
  if (node.address === place.dataset.master) return 'master';
  if (isPool(node)) return 'pool';
  const own = new Set(edges.filter(({ source }) => source === node.address).map((e) => e.type));
  return ROLES.find((type) => own.has(type)) ?? (node.clusterId ? 'member' : 'wallet');
};

const roleText = ({ verdict }, role, words) =>
  verdict?.prediction
    ? `${verdict.prediction} ${Math.round(verdict.confidence * 100)} %`
    : words[`is_${role}`];

const toneOf = (node, role) => {
  if (node.kind === 'token') {
    return { SCAM: 'bad', LEGIT: 'good' }[node.verdict?.prediction] ?? 'faint';
  }
  return { master: 'bad', created: 'accent', funded: 'warn' }[role] ?? 'faint';
};

/** Columns with the nodes to show, in the order with the fewest crossing lines. */
const arrange = (nodes, edges, center) => {
  const columns = columnsOf(nodes, edges, center);
  const amounts = amountsOf(edges);
  const byColumn = Map.groupBy(
    nodes.filter(({ address }) => columns.has(address)),
    ({ address }) => columns.get(address),
  );
  const order = new Map();
  const kept = [...byColumn]
    .toSorted(([a], [b]) => a - b)
    .map(([, all]) => {
      const shown = all
        .toSorted(
          (a, b) =>
            (b.address === center) - (a.address === center) ||
            (amounts.get(b.address) ?? 0) - (amounts.get(a.address) ?? 0),
        )
        .slice(0, COLUMN_NODES_MAX);
      const place = ({ address }) => {
        const rows = edges
          .flatMap((e) =>
            e.source === address
              ? [order.get(e.target)]
              : e.target === address
                ? [order.get(e.source)]
                : [],
          )
          .filter((row) => row !== undefined);
        return rows.length === 0 ? 0.5 : rows.reduce((sum, row) => sum + row, 0) / rows.length;
      };
      const sorted = shown
        .map((node) => [place(node), node])
        .toSorted(([a], [b]) => a - b)
        .map(([, node]) => node);
      for (const [i, { address }] of sorted.entries())
        order.set(address, (i + 0.5) / sorted.length);
      return sorted;
    });
  return { kept, amounts, hidden: nodes.length - kept.flat().length };
};

const layOut = ({ kept, amounts }, width) => {
  const rows = Math.max(...kept.map((column) => column.length));
  const height = Math.max(HEIGHT_MIN_PX, rows * ROW_PX + 2 * PAD_Y_PX);
  const step = kept.length > 1 ? (width - 2 * PAD_X_PX) / (kept.length - 1) : 0;
  const most = Math.max(1e-9, ...kept.flat().map(({ address }) => amounts.get(address) ?? 0));
  const places = new Map();
  for (const [c, column] of kept.entries()) {
    for (const [r, { address }] of column.entries()) {
      const share = (amounts.get(address) ?? 0) / most;
      const row = (height - 2 * PAD_Y_PX) / column.length;
      const y = PAD_Y_PX + (r + 0.5) * row - LABEL_PX / 2;
      places.set(address, {
        x: kept.length > 1 ? PAD_X_PX + c * step : width / 2,
        y,
        radius: 6 + 8 * Math.sqrt(share),
      });
    }
  }
  return { places, height };
};

const pathOf = (a, b, bend) => {
  if (Math.abs(a.x - b.x) < 1) {
    const x = a.x - 26 - Math.abs(a.y - b.y) / 6 - Math.abs(bend);
    return `M${a.x - a.radius},${a.y} C${x},${a.y} ${x},${b.y} ${b.x - b.radius - 5},${b.y}`;
  }
  const side = Math.sign(b.x - a.x);
  const [x1, x2] = [a.x + side * a.radius, b.x - side * (b.radius + 5)];
  const middle = (x1 + x2) / 2;
  return `M${x1},${a.y} C${middle},${a.y + bend} ${middle},${b.y + bend} ${x2},${b.y}`;
};

const drawEdges = (edges, places, words) => {
  const most = Math.max(1e-9, ...edges.map(({ valueUsd = 0 }) => valueUsd));
  const pairs = new Map();
  return edges.flatMap((edge) => {
    const { source, target, type, valueUsd = 0, txCount, firstAtS } = edge;
    const [a, b] = [places.get(source), places.get(target)];
    if (!a || !b || source === target) return [];
    const pair = source < target ? source + target : target + source;
    const nth = pairs.get(pair) ?? 0;
    pairs.set(pair, nth + 1);
    const tone = TONES[type] ?? 'faint';
    const said = [
      `${short(source)} ${words[type] ?? type} ${short(target)}`,
      valueOf(edge),
      txCount ? `${txCount}×` : '',
      firstAtS ? day(firstAtS) : '',
    ];
    const bend = Math.ceil(nth / 2) * 22 * (nth % 2 === 0 ? 1 : -1);
    const line = element(
      'path',
      {
        d: pathOf(a, b, bend),
        class: `edge ${tone}${DASHED.has(type) ? ' dashed' : ''}`,
        'stroke-width': 1.2 + 4.5 * Math.sqrt(valueUsd / most),
        'marker-end': `url(#arrow-${tone})`,
      },
      [element('title', {}, [said.filter(Boolean).join(', ')])],
    );
    line.edge = edge;
    return [line];
  });
};

const drawNodes = (nodes, edges, places, place, words) =>
  nodes.map((node) => {
    const { x, y, radius } = places.get(node.address);
    const role = roleOf(node, edges, place);
    const called = roleText(node, role, words);
    const isCenter = node.address === place.dataset.center;
    const name = node.label === node.address ? short(node.address) : node.label.slice(0, 16);
    const shape =
      node.kind === 'token'
        ? element('rect', {
            x: x - radius,
            y: y - radius,
            width: 2 * radius,
            height: 2 * radius,
            rx: 3,
          })
        : element('circle', { cx: x, cy: y, r: radius });
    shape.setAttribute('class', `node ${toneOf(node, role)}${isCenter ? ' center' : ''}`);
    const text = (className, dy, said) =>
      element('text', { x, y: y + radius + dy, class: className }, [said]);
    const href = linkTo(node, place);
    const link = element('a', href ? { href, tabindex: -1 } : {}, [
      element('title', {}, [`${node.address}, ${called}`]),
      shape,
      text('name', 13, name),
      text('role', 25, called),
    ]);
    return link;
  });

const arrows = () =>
  element(
    'defs',
    {},
    ['accent', 'warn', 'faint', 'good', 'bad'].map((tone) =>
      element(
        'marker',
        {
          id: `arrow-${tone}`,
          viewBox: '0 0 8 8',
          refX: 5,
          refY: 4,
          markerWidth: 8,
          markerHeight: 8,
          markerUnits: 'userSpaceOnUse',
          orient: 'auto-start-reverse',
        },
        [element('path', { d: 'M0,0 L8,4 L0,8 z', class: `head ${tone}` })],
      ),
    ),
  );

const fillLegend = (legend, edges, hidden, words) => {
  const entry = (className, text) => {
    const item = document.createElement('li');
    const mark = document.createElement('span');
    mark.className = `swatch ${className}`;
    item.append(mark, text);
    return item;
  };
  const types = Object.keys(TONES).filter((type) => edges.some((edge) => edge.type === type));
  legend.replaceChildren(
    entry('square bad', words.scam),
    entry('square good', words.is_token),
    entry('round', words.size),
    ...types.map((type) =>
      entry(`line ${TONES[type]}${DASHED.has(type) ? ' dashed' : ''}`, words[type]),
    ),
    ...(hidden > 0 ? [entry('none', words.hidden.replace('{n}', hidden))] : []),
  );
};

/** A slider over the start times of edges; later edges are hidden. */
const addSlider = (place, lines, words) => {
  const times = [...new Set(lines.map(({ edge }) => edge.firstAtS).filter(Boolean))].toSorted(
    (a, b) => a - b,
  );
  if (times.length < 2) return;
  const label = document.createElement('label');
  const slider = document.createElement('input');
  const said = document.createElement('output');
  Object.assign(slider, { type: 'range', min: 0, max: times.length - 1, value: times.length - 1 });
  label.className = 'time';
  label.append(words.upTo, slider, said);
  const show = () => {
    const until = times[Number(slider.value)];
    said.textContent = day(until);
    for (const line of lines) line.classList.toggle('later', (line.edge.firstAtS ?? 0) > until);
  };
  slider.addEventListener('input', show);
  show();
  place.after(label);
};

const cell = (row, text, link) => {
  const place = row.insertCell();
  if (!link) {
    place.textContent = text;
    return;
  }
  const anchor = document.createElement('a');
  anchor.href = link;
  anchor.textContent = text;
  anchor.className = 'address';
  place.append(anchor);
};

const fillTable = ({ nodes, edges }, table, place, words) => {
  const known = new Map(nodes.map((node) => [node.address, node]));
  const end = (row, address) => {
    const node = known.get(address) ?? { kind: 'wallet', label: '', address };
    cell(
      row,
      node.kind === 'token' ? node.label.slice(0, 24) : short(address),
      linkTo(node, place),
    );
  };
  for (const edge of edges) {
    const row = table.tBodies[0].insertRow();
    end(row, edge.source);
    cell(row, words[edge.type] ?? edge.type);
    end(row, edge.target);
    cell(row, valueOf(edge));
    cell(row, edge.txCount ? String(edge.txCount) : '');
  }
};

const draw = async (place) => {
  const note = place.querySelector('.loading');
  const words = JSON.parse(place.dataset.words);
  try {
    const response = await fetch(place.dataset.network);
    if (!response.ok) throw new Error(String(response.status));
    const found = await response.json();
    if (found.edges.length === 0) {
      note.textContent = words.none;
      return;
    }
    const card = place.closest('.network-card');
    fillTable(found, card.querySelector('[data-network-table]'), place, words);
    // The page says in words that two wallets are of one ring: lines for it would hide what they did.
    const acts = found.edges.filter(({ type }) => type !== 'same_cluster');
    const edges = acts.length > 0 ? acts : found.edges;
    const arranged = arrange(found.nodes, edges, place.dataset.center);
    const nodes = arranged.kept.flat();
    let width = 0;
    const paint = () => {
      const wanted = Math.max(WIDTH_MIN_PX, place.clientWidth);
      if (wanted === width) return;
      width = wanted;
      const { places, height } = layOut(arranged, width);
      const lines = drawEdges(edges, places, words);
      const svg = element('svg', { width, height, viewBox: `0 0 ${width} ${height}` }, [
        arrows(),
        ...lines,
        ...drawNodes(nodes, edges, places, place, words),
      ]);
      place.replaceChildren(svg);
      card.querySelector('.time')?.remove();
      addSlider(place, lines, words);
    };
    fillLegend(card.querySelector('[data-network-legend]'), edges, arranged.hidden, words);
    paint();
    new ResizeObserver(paint).observe(place);
  } catch {
    note.textContent = words.failed;
  }
};

for (const place of document.querySelectorAll('[data-network]')) void draw(place);
