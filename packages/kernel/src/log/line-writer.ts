// Lines to stderr, many in one write: each write wakes the process that reads, which costs more than the line itself.

export interface LineWriter {
  /** `at once` takes all earlier lines along. */
  write(line: string, urgency: 'at once' | 'soon'): void
  flush(): void
}

/** Milliseconds that a line may wait; what a SIGKILL can take. */
const wait = 20
const most = 64 * 1024

export const createLineWriter = (put: (text: string) => void): LineWriter => {
  let text = ''
  let timer: NodeJS.Timeout | undefined
  const flush = (): void => {
    clearTimeout(timer)
    timer = undefined
    if (text === '') return
    const lines = text
    text = ''
    put(lines)
  }
  return {
    flush,
    write: (line, urgency) => {
      text += `${line}\n`
      if (urgency === 'at once' || text.length > most) flush()
      else timer ??= setTimeout(flush, wait).unref()
    },
  }
}
