// An hour of work for the plots of the pictures: no unit that was just started has one. The same each time.

const every = 10
const count = 360

/** Between 0 and 1, alike for alike places. */
const noise = (place: number): number => {
  const value = Math.sin(place * 12.9898) * 43_758.5453
  return value - Math.floor(value)
}

export const madeUpHour = (now: number) => ({
  every,
  samples: Array.from({ length: count }, (_, place) => {
    const swell = 0.5 + 0.5 * Math.sin(place / 40)
    const calls = Math.round(14 * swell * (0.6 + 0.8 * noise(place)))
    const modelRequests = Math.round(calls / 3)
    const callP50 = Math.round(18 + 12 * swell + 6 * noise(place + 1))
    return {
      at: new Date(now - (count - place) * every * 1_000).toISOString(),
      calls,
      callErrors: noise(place + 2) > 0.93 ? Math.ceil(calls / 4) : 0,
      callP50,
      callP95: Math.round(callP50 * (2 + 2 * noise(place + 3))),
      modelRequests,
      modelErrors: 0,
      modelTokens: Math.round(modelRequests * (900 + 1_500 * noise(place + 4))),
      decisions: noise(place + 5) > 0.97 ? 1 : 0,
      held: Math.round(2 + Math.sin(place / 70)),
      sandboxes: 2,
    }
  }),
})
