// Messages of one line or one answer: one revision lets a server put several into a list.

/** More of a list are not looked at: each sets something going before anybody else has a turn. */
const mostInOneList = 64

export const messagesIn = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value.slice(0, mostInOneList) : [value])
