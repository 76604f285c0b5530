// The one range of a request (RFC 9110, section 14). What is no such range, or lies outside, is as if nobody had asked for one.

/** First byte, and the one behind the last. */
export const readRange = (header: string | undefined, size: number): readonly [number, number] | undefined => {
  const found = /^bytes=(\d{0,15})-(\d{0,15})$/.exec(header?.trim() ?? '')
  if (found === null) return undefined
  const [, from = '', to = ''] = found
  if (from === '' && to === '') return undefined
  const start = from === '' ? Math.max(0, size - Number(to)) : Number(from)
  const end = from === '' || to === '' ? size : Math.min(size, Number(to) + 1)
  return start < end ? [start, end] : undefined
}
