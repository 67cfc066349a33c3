// Charts of usage and of a token's market, by uPlot.
const style = getComputedStyle(document.documentElement);
const color = (name) => style.getPropertyValue(name).trim();
const AXIS = { stroke: color('--faint'), grid: { stroke: color('--line'), width: 1 } };

const MINUTE_S = 60;
const DAY_S = 86_400;
const utc = (atS) => new Date(atS * 1000).toISOString().replace('T', ' ');
/**
 * Hours of the day, with seconds on a short axis and the day below the first hour; days only on a long axis.
 */
const instants = (_, splits, __, ___, stepS) =>
  splits.map((atS, i) => {
    const [day, hour] = [utc(atS).slice(0, 10), utc(atS).slice(11, stepS < MINUTE_S ? 19 : 16)];
    if (stepS >= DAY_S) return day;
    return i > 0 && utc(splits[i - 1]).startsWith(day) ? hour : `${hour}\n${day}`;
  });
const TIMES = { ...AXIS, values: instants, space: 80 };
const instant = (words) => ({
  label: words.time,
  value: (_, atS) => (atS === null ? '–' : utc(atS).slice(0, 16)),
});
const tzDate = (atS) => uPlot.tzDate(new Date(atS * 1000), 'Etc/UTC');
const HEIGHT_PX = 280;

const TINY = 1e-4;
/** Few digits, even for very small numbers. */
const shortForm = (language, style) => {
  const form = (more) =>
    new Intl.NumberFormat(language, { maximumSignificantDigits: 3, ...style, ...more });
  const [plain, compact, tiny] = [{}, { notation: 'compact' }, { notation: 'scientific' }].map(
    form,
  );
  return (value) => {
    const size = Math.abs(value);
    if (size >= 1000) return compact.format(value);
    return (size > 0 && size < TINY ? tiny : plain).format(value);
  };
};
const shortForms = (language) => ({
  number: shortForm(language, {}),
  usd: shortForm(language, { style: 'currency', currency: 'USD', currencyDisplay: 'narrowSymbol' }),
});
const IN_TEXT = shortForms(document.documentElement.lang);
/** An axis must leave room for the lines: `$150K` takes half of `150 тыс. $`. */
const ON_AXIS = shortForms('en');
const shorten = (_, values) => values.map(ON_AXIS.number);
const UNIT_LENGTH_MAX = 12;
/** The unit of amounts; the native coin has no name here. */
const unitText = ({ unit }, words) => unit?.slice(0, UNIT_LENGTH_MAX) ?? words.native;
const written = (value, unit, forms = IN_TEXT) => {
  if (value === null || value === undefined) return '–';
  return unit === 'USD' ? forms.usd(value) : forms.number(value);
};

/** Room for the longest label of an axis. */
const roomFor = (_, values) => 22 + 7.2 * Math.max(0, ...(values ?? []).map((text) => text.length));

/** Vertical lines where liquidity was added or removed, and where the verdict changed. */
const marksOf = ({ moves, turns }, words) => [
  ...moves.map(({ atS, isRemoval }) => ({
    atS,
    stroke: color(isRemoval ? '--bad' : '--good'),
    text: isRemoval ? words.out : words.in,
  })),
  ...turns.map(({ atS, to }) => ({
    atS,
    stroke: color('--accent'),
    text: words.turn.replace('{to}', to),
  })),
];
const MARK_GAP_PX = 14;
/** Space above the lines for the labels of the marks, one row each. */
const roomForMarks = (marks) => 8 + MARK_GAP_PX * new Set(marks.map(({ text }) => text)).size;
const drawMarks = (marks) => (chart) => {
  const { ctx, bbox } = chart;
  ctx.save();
  ctx.font = `${11 * devicePixelRatio}px system-ui, sans-serif`;
  const seen = new Map();
  for (const { atS, stroke, text } of marks) {
    const x = Math.round(chart.valToPos(atS, 'x', true));
    if (x < bbox.left || x > bbox.left + bbox.width) continue;
    ctx.strokeStyle = stroke;
    ctx.fillStyle = stroke;
    ctx.setLineDash([4, 4]);
    ctx.beginPath();
    ctx.moveTo(x, bbox.top);
    ctx.lineTo(x, bbox.top + bbox.height);
    ctx.stroke();
    if (seen.has(text)) continue;
    const row = seen.size;
    seen.set(text, row);
    const isRight = x > bbox.left + bbox.width / 2;
    ctx.textAlign = isRight ? 'right' : 'left';
    const gap = 5 * devicePixelRatio * (isRight ? -1 : 1);
    ctx.fillText(text, x + gap, bbox.top - (row * MARK_GAP_PX + 5) * devicePixelRatio);
  }
  ctx.restore();
};

const CHARTS = {
  usage: ({ times, requests, errors, averageMs }, words) => ({
    data: [times, requests, errors, averageMs],
    series: [
      instant(words),
      { label: words.requests, stroke: color('--accent'), width: 2, scale: 'y' },
      { label: words.errors, stroke: color('--bad'), width: 2, scale: 'y' },
      { label: words.average, stroke: color('--faint'), dash: [4, 4], scale: 'ms' },
    ],
    axes: [
      TIMES,
      { ...AXIS, values: shorten },
      { ...AXIS, scale: 'ms', side: 1, values: shorten, grid: { show: false } },
    ],
    scales: { y: { range: (_, __, max) => [0, Math.max(1, max)] } },
  }),
  market: (market, words) => {
    const { times, prices, liquidity, unit } = market;
    const value = (_, raw) => written(raw, unit);
    const values = (_, raws) => raws.map((raw) => written(raw, unit, ON_AXIS));
    const called = (name) => (unit === 'USD' ? name : `${name}, ${unitText(market, words)}`);
    const fromZero = (_, __, max) => [0, max > 0 ? max * 1.08 : 1];
    const marks = marksOf(market, words);
    return {
      data: [times, prices, liquidity],
      series: [
        instant(words),
        { label: called(words.price), stroke: color('--accent'), width: 2, scale: 'y', value },
        { label: called(words.liquidity), stroke: color('--good'), width: 2, scale: 'l', value },
      ],
      axes: [
        TIMES,
        { ...AXIS, stroke: color('--accent'), values, size: roomFor },
        {
          ...AXIS,
          stroke: color('--good'),
          scale: 'l',
          side: 1,
          values,
          size: roomFor,
          grid: { show: false },
        },
      ],
      padding: [roomForMarks(marks), null, null, null],
      scales: { y: { range: fromZero }, l: { range: fromZero } },
      hooks: { draw: [drawMarks(marks)] },
    };
  },
};

/** Numbers embedded in the page with a chart. */
const fillIn = (source, words) => {
  const { volumeOfDay, unit } = source;
  const place = document.querySelector('[data-volume]');
  if (!place || volumeOfDay === undefined) return;
  const text = written(volumeOfDay, unit);
  place.textContent = unit === 'USD' ? text : `${text} ${unitText(source, words)}`;
};

const draw = async (place) => {
  const note = place.querySelector('.loading');
  const words = JSON.parse(place.dataset.words);
  try {
    const response = await fetch(place.dataset.source);
    if (!response.ok) throw new Error(String(response.status));
    const source = await response.json();
    fillIn(source, words);
    if (source.times.length === 0) {
      note.className = 'empty';
      note.textContent = words.none;
      return;
    }
    const { data, ...options } = CHARTS[place.dataset.chart](source, words);
    note.remove();
    const width = () => place.clientWidth;
    const chart = new uPlot({ width: width(), height: HEIGHT_PX, tzDate, ...options }, data, place);
    new ResizeObserver(() => chart.setSize({ width: width(), height: HEIGHT_PX })).observe(place);
  } catch {
    note.textContent = words.failed;
  }
};

for (const place of document.querySelectorAll('[data-chart]')) void draw(place);
