// Asks the unit at UNIT until each answer is as expected, for a minute at most; ends with 1 and the last fault otherwise.
const unit = process.env.UNIT
const deadline = performance.now() + 60_000

const expected = [
  ['/healthz', 200, () => true],
  ['/readyz', 200, (answer) => answer.sandbox === 'off'],
  ['/v1/status', 401, () => true],
]

const faultOf = async ([path, status, holds]) => {
  try {
    const response = await fetch(`${unit}${path}`, { signal: AbortSignal.timeout(5_000) })
    const answer = await response.json().catch(() => ({}))
    return response.status === status && holds(answer) ? undefined : `expected ${status}, got ${response.status} ${JSON.stringify(answer)}`
  } catch (error) {
    return error.cause?.message ?? error.message
  }
}

for (const each of expected) {
  for (;;) {
    const fault = await faultOf(each)
    if (fault === undefined) break
    if (performance.now() > deadline) {
      console.error(`${unit}${each[0]}: ${fault}`)
      process.exit(1)
    }
    await new Promise((resolve) => setTimeout(resolve, 500))
  }
  console.log(`${unit}${each[0]}: ${each[1]}`)
}
