// The numbers that bound cards of held changes, and what is said of them. Part of `limits`, by which they are read.

export const cardLimits = {
  /** What a channel keeps beside a card: where it stands, and in which conversation. */
  cardReference: 32 * 1024,
  /** Of the label of who asks or decides. */
  requester: 128,
  /** UTF-16 units of each text of a card, and decisions that it names: the last ones. */
  cardText: 1_000,
  cardDecisions: 8,
  /** Approvers to whom one card is written, each by itself, where an address is no place. */
  cardPeople: 32,
  /** Cards that are worked on at once. */
  cardLanes: 16,
  /** Cards are asked for after this where nothing was told. */
  cardPoll: 60_000,
  /** Hex digits of a digest that a decision in a channel names at least. */
  cardDigest: 16,
} as const
