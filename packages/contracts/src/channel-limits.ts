// The numbers that bound channels and their cards of held changes. Part of `limits`, by which they are read.

const KiB = 1024
const MiB = 1024 * KiB

export const channelLimits = {
  /** Characters of an address, person or thread of a channel, and of its own ids of messages. */
  channelText: 256,
  channelMessageID: 998,
  /** Messages of one channel, and of one conversation of it, that are known again wherever its address leads by then. */
  channelKeys: 50_000,
  channelKeysOfOne: 2_000,
  /** What a channel keeps beside a message so that it can be answered. */
  channelReference: 8 * KiB,
  /** Messages that one conversation of a channel may bring at once, and a minute: beyond it two machines are talking. */
  channelBurst: 60,
  channelPerMinute: 30,
  /** How long a message waits for room in its conversation where the service brings it again, and any message for its files. */
  channelHold: 60_000,
  /** A socket that the service ends earlier than this is not made anew at once. */
  channelSocketLeast: 10_000,
  /** Characters of a message that a pattern is tried on. */
  channelPattern: 4 * KiB,
  /** Steps of a pattern with its repeats unfolded: all of them may be taken for each character. */
  channelPatternSteps: 512,
  /** Files of one message that are taken. */
  channelFiles: 10,
  /** Files that an agent sends with one message, and their bytes together. */
  sentFiles: 4,
  sentBytes: 20 * MiB,
  /** Copies of files that wait for the channel of one conversation, and of all conversations of a group. */
  sentHeld: 40 * MiB,
  sentHeldByGroup: 80 * MiB,
  /** Conversations whose messages are delivered at the same time. */
  channelLanes: 32,
  /** A message that could not be delivered is tried again between these, and given up after the last. */
  channelRetryFirst: 1_000,
  channelRetryMost: 5 * 60_000,
  channelGiveUp: 24 * 60 * 60_000,
  /** Dead letters that are shown. */
  channelLetters: 50,
  /** Those of each channel that the runner keeps in mind: a purge takes some away. */
  channelLettersKept: 250,
  /** An answer of a channel's service, and how long it is waited for. */
  channelAnswer: 256 * KiB,
  channelSendTime: 30_000,
  /** The same for a message with files. */
  channelFilesTime: 120_000,
  /** Messages whose files are in memory at the same time, on their way to a service. */
  channelFilesAtOnce: 4,
  /** UTF-16 units of the name of a file that is sent. */
  channelFileName: 128,
  /** A message is laid out as Markdown up to so many UTF-16 units, pieces and levels; beyond it goes out as it was written. */
  markupText: 32 * KiB,
  markupPieces: 8_000,
  markupLevels: 24,
  /** The longest address of a link. */
  markupLink: 2_000,
  /** How far the clock of a webhook's sender may be away, seconds. */
  webhookSkew: 5 * 60,
  webhookBody: 512 * KiB,
  /** Webhooks with a wrong signature from one address. */
  webhooksWrongPerMinute: 10,
  /** Genuine webhooks of one address: a second, after a first burst. */
  webhooksPerSecond: 10,
  webhooksBurst: 60,
  /** Webhooks of one address whose bodies are read at once; others wait. */
  webhooksAtOnce: 8,
  /** Webhooks of one address that wait while so many are read. */
  webhooksWaiting: 64,
  /** A body that takes longer is let go of where others wait. */
  webhookReadTime: 1_000,
  /** An e-mail as it lies on the server. */
  emailSize: 32 * MiB,
  /** How long the unit remembers that a server takes no larger letters. */
  emailSizeKept: 60 * 60_000,
  /** How often a mailbox is looked into where its server does not tell of new mail. */
  emailPoll: 60_000,
  /** Letters of one conversation in a row that are answered although each came within this time of ours: no person is as quick. */
  emailLoop: 5,
  emailMachineTime: 30_000,
  /** The same for answers that all begin with the same words. */
  emailRepeatTime: 60 * 60_000,

  /** What a channel keeps beside a card: where it stands, and in which conversation. */
  cardReference: 32 * KiB,
  /** Of the label of who asks or decides. */
  requester: 128,
  /** UTF-16 units of each text of a card, and decisions that it names: the last ones. */
  cardText: 1_000,
  cardDecisions: 8,
  /** UTF-16 units of a reason that is typed into a card. */
  cardReason: 1_000,
  /** Approvers to whom one card is written, each by itself, where an address is no place. */
  cardPeople: 32,
  /** Cards that are worked on at once. */
  cardLanes: 16,
  /** Cards are asked for after this where nothing was told. */
  cardPoll: 60_000,
  /** Hex digits of a digest that a decision in a channel names at least. */
  cardDigest: 16,
} as const
