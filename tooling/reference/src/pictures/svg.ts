// Draws boxes, labels and arrows as one SVG picture, in the colors of a light or a dark page.

interface Theme {
  readonly text: string
  readonly muted: string
  readonly line: string
  readonly fill: Readonly<Record<Fill, string>>
  readonly edge: Readonly<Record<Fill, string>>
}

type Point = readonly [x: number, y: number]

type Fill = 'outside' | 'process' | 'decides' | 'sandbox' | 'region'

export interface Box {
  readonly x: number
  readonly y: number
  readonly width: number
  readonly height: number
  readonly fill: Fill
  readonly title: string
  readonly lines?: readonly string[]
}

/** From the caller to the process that is called. */
export interface Arrow {
  readonly points: readonly Point[]
  readonly label?: string
  readonly labelAt?: Point
}

export interface Drawing {
  readonly width: number
  readonly height: number
  readonly title: string
  readonly boxes: readonly Box[]
  readonly arrows: readonly Arrow[]
}

export const themes: Readonly<Record<'light' | 'dark', Theme>> = {
  light: {
    text: '#1f2328',
    muted: '#59636e',
    line: '#59636e',
    fill: { outside: '#ffffff', process: '#eef4ff', decides: '#0b57d0', sandbox: '#e8f5ec', region: '#f8fafc' },
    edge: { outside: '#afb8c1', process: '#7aa7e8', decides: '#0b57d0', sandbox: '#2e7d4f', region: '#d0d7de' },
  },
  dark: {
    text: '#f0f6fc',
    muted: '#9198a1',
    line: '#9198a1',
    fill: { outside: '#0d1117', process: '#172a45', decides: '#1f6feb', sandbox: '#12261b', region: '#151b23' },
    edge: { outside: '#656c76', process: '#4184e4', decides: '#1f6feb', sandbox: '#3fb950', region: '#3d444d' },
  },
}

const escape = (text: string): string => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;')

const isRegion = ({ fill, lines }: Box): boolean => fill === 'region' || (fill === 'sandbox' && lines === undefined)

const text = ([x, y]: Point, content: string, attributes: string): string =>
  `  <text x="${x}" y="${y}" ${attributes}>${escape(content)}</text>`

const boxText = (box: Box, theme: Theme): string[] => {
  const baseline = box.fill === 'sandbox' ? box.y + box.height - 15 : box.y + 26
  if (isRegion(box)) return [text([box.x + 20, baseline], box.title, `fill="${theme.muted}" font-size="14" font-weight="600"`)]
  const color = box.fill === 'decides' ? '#ffffff' : theme.text
  const lines = box.lines ?? []
  const first = box.y + box.height / 2 + 5 - lines.length * 9
  const centre = box.x + box.width / 2
  return [
    text([centre, first], box.title, `text-anchor="middle" fill="${color}" font-size="16" font-weight="600"`),
    ...lines.map((line, index) =>
      text(
        [centre, first + 20 + index * 18],
        line,
        `text-anchor="middle" fill="${box.fill === 'decides' ? '#ffffff' : theme.muted}" font-size="13"`,
      ),
    ),
  ]
}

const drawBox = (box: Box, theme: Theme): string[] => {
  const dash = isRegion(box) && box.fill === 'sandbox' ? ' stroke-dasharray="7 5"' : ''
  const rect = `  <rect x="${box.x}" y="${box.y}" width="${box.width}" height="${box.height}" rx="${isRegion(box) ? 14 : 10}" fill="${theme.fill[box.fill]}" stroke="${theme.edge[box.fill]}" stroke-width="1.5"${dash}/>`
  return [rect, ...boxText(box, theme)]
}

const drawArrow = ({ points, label, labelAt }: Arrow, theme: Theme): string[] => {
  const path = points.map(([x, y], index) => `${index === 0 ? 'M' : 'L'}${x} ${y}`).join(' ')
  return [
    `  <path d="${path}" fill="none" stroke="${theme.line}" stroke-width="1.75" marker-end="url(#arrow)"/>`,
    ...(label === undefined || labelAt === undefined ? [] : [text(labelAt, label, `fill="${theme.muted}" font-size="13"`)]),
  ]
}

export const drawSvg = ({ width, height, title, boxes, arrows }: Drawing, theme: Theme): string =>
  [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img" font-family="system-ui, -apple-system, 'Segoe UI', Roboto, 'Helvetica Neue', Arial, sans-serif">`,
    `  <title>${escape(title)}</title>`,
    `  <defs><marker id="arrow" viewBox="0 0 10 10" refX="9" refY="5" markerWidth="7" markerHeight="7" orient="auto-start-reverse"><path d="M0 0L10 5L0 10z" fill="${theme.line}"/></marker></defs>`,
    ...boxes.flatMap((box) => drawBox(box, theme)),
    ...arrows.flatMap((arrow) => drawArrow(arrow, theme)),
    '</svg>',
    '',
  ].join('\n')
