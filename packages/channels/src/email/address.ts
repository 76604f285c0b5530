// What is an address here: it is written into headers and envelopes as it is, so nothing else is.

export const plainAddress = /^[a-z0-9.!#$%&'*+/=?^_`{|}~-]{1,64}@[a-z0-9](?:[a-z0-9.-]{0,251}[a-z0-9])?$/
