// Which ids of the host sandboxes have when the unit is root.

/** First of groups and of sessions; group and session numbers are added. Trials have the ten before. */
export const identities = { uid: 700_000, gid: 800_000 }

/** Everything that a unit hands out, the spare ids of root inside included: for `/etc/subuid` and `/etc/subgid`. */
export const reserved = { first: 699_000, count: 1_101_000 }
