// Errors go to standard error, which the host keeps as the sandbox's output.

export const complain = (text: string): void => {
  process.stderr.write(`${text}\n`)
}
