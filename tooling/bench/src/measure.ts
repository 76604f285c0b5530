// Times one act many times, and says what the times were.

export interface Figures {
  readonly p50: number
  readonly p95: number
  readonly p99: number
  /** Acts a second. */
  readonly rate: number
}

const at = (sorted: Float64Array, part: number): number => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? 0

/** Milliseconds of each of `count` acts, `callers` at a time. */
const sample = async (act: () => Promise<unknown>, count: number, callers = 1): Promise<Float64Array> => {
  const times = new Float64Array(count)
  let next = 0
  const worker = async (): Promise<void> => {
    for (let index = next++; index < count; index = next++) {
      const start = performance.now()
      await act()
      times[index] = performance.now() - start
    }
  }
  await Promise.all(Array.from({ length: callers }, worker))
  return times
}

/** `seconds`: how long all of them took together; by default one after another. */
export const figuresOf = (times: Float64Array, seconds = times.reduce((sum, time) => sum + time, 0) / 1_000): Figures => {
  const sorted = times.toSorted()
  return { p50: at(sorted, 0.5), p95: at(sorted, 0.95), p99: at(sorted, 0.99), rate: times.length / seconds }
}

/** Of acts that came one after the other, with something else in between. */
export const oneByOne = (times: readonly number[]): Figures =>
  figuresOf(new Float64Array(times), times.reduce((sum, time) => sum + time, 0) / 1_000)

export const timed = async (act: () => Promise<unknown>, count: number, callers: number): Promise<Figures> => {
  const start = performance.now()
  const times = await sample(act, count, callers)
  return figuresOf(times, (performance.now() - start) / 1_000)
}

const cell = (value: number, digits: number): string => value.toFixed(digits).padStart(9)

export const printTable = (rows: readonly (readonly [string, Figures])[]): void => {
  const width = Math.max(34, ...rows.map(([name]) => name.length + 1))
  process.stdout.write(`${''.padEnd(width)}   p50 ms   p95 ms   p99 ms      /s\n`)
  for (const [name, { p50, p95, p99, rate }] of rows) {
    process.stdout.write(`${name.padEnd(width)}${cell(p50, 3)}${cell(p95, 3)}${cell(p99, 3)}${cell(rate, 0)}\n`)
  }
}
