// Elapsed time on a terminal, for work that takes longer than two seconds. A pipe gets nothing.

const delay = 2_000
const interval = 1_000

interface Terminal {
  readonly isTTY?: boolean
  readonly write: (text: string) => unknown
}

const clearLine = '\r\u001b[2K'

/** Shows `label … 5s` on the line of the cursor while the work goes on, and clears it when the work ends. `clear` makes room for output. */
export const withProgress = async <T>(
  label: string,
  work: (clear: () => void) => Promise<T>,
  terminal: Terminal = process.stderr,
): Promise<T> => {
  if (terminal.isTTY !== true) return await work(() => undefined)
  const start = performance.now()
  let isShown = false
  const show = (): void => {
    isShown = true
    terminal.write(`${clearLine}${label} … ${Math.round((performance.now() - start) / 1000)}s`)
  }
  const clear = (): void => {
    if (isShown) terminal.write(clearLine)
    isShown = false
  }
  let ticker: NodeJS.Timeout | undefined
  const first = setTimeout(() => {
    show()
    ticker = setInterval(show, interval)
  }, delay)
  try {
    return await work(clear)
  } finally {
    clearTimeout(first)
    clearInterval(ticker)
    clear()
  }
}
