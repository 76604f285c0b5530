// Logs errors to standard error, which the host keeps as the output of the sandbox.

export const logError = (text: string): void => {
  process.stderr.write(`${text}\n`)
}
