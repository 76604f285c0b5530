// Limits of channels and approval cards. Part of `limits`.

const KiB = 1024
const MiB = 1024 * KiB

export const channelLimits = {
  /** Characters of an address, user or thread of a channel, and of a channel's message id. */
  channelText: 256,
  channelMessageID: 998,
  /** Message ids that are remembered for deduplication, by channel and by conversation. */
  channelKeys: 50_000,
  channelKeysOfOne: 2_000,
  /** Data that a channel stores with a message to answer it. */
  channelReference: 8 * KiB,
  /** Messages of one conversation in a burst, and per minute. More are probably two bots talking to each other. */
  channelBurst: 60,
  channelPerMinute: 30,
  /** Maximum wait of a message for space in its queue if the service redelivers it, and for its files. */
  channelHold: 60_000,
  /** A socket that the service closes earlier than this is not reopened at once. */
  channelSocketLeast: 10_000,
  /** Characters of a message that a pattern is matched against. */
  channelPattern: 4 * KiB,
  /** Steps of a pattern with its repeats expanded. Each may run for each character. */
  channelPatternSteps: 512,
  /** Files of one incoming message that are accepted. */
  channelFiles: 10,
  /** Files that an agent can send with one message, and their total size. */
  sentFiles: 4,
  sentBytes: 20 * MiB,
  /** Total size of file copies that wait for delivery, by conversation and by group. */
  sentHeld: 40 * MiB,
  sentHeldByGroup: 80 * MiB,
  /** Conversations that are delivered concurrently. */
  channelLanes: 32,
  /** Initial and maximum delay between delivery attempts, and the time after which delivery fails. */
  channelRetryFirst: 1_000,
  channelRetryMost: 5 * 60_000,
  channelGiveUp: 24 * 60 * 60_000,
  /** Dead letters in a list. */
  channelLetters: 50,
  /** Dead letters of each channel that the runner keeps in memory. */
  channelLettersKept: 250,
  /** Size of a response of a channel's service, and the time to wait for it. */
  channelAnswer: 256 * KiB,
  channelSendTime: 30_000,
  /** Time to send a message with files. */
  channelFilesTime: 120_000,
  /** Messages whose files are in memory concurrently while they are sent. */
  channelFilesAtOnce: 4,
  /** UTF-16 units of the name of a sent file. */
  channelFileName: 128,
  /** Maximum UTF-16 units, elements and levels of a message that is formatted as Markdown. Larger ones are sent as plain text. */
  markupText: 32 * KiB,
  markupPieces: 8_000,
  markupLevels: 24,
  /** Maximum length of a link URL. */
  markupLink: 2_000,
  /** Maximum clock difference of a webhook's sender, in seconds. */
  webhookSkew: 5 * 60,
  webhookBody: 512 * KiB,
  /** Webhooks with a wrong signature from one address, per minute. */
  webhooksWrongPerMinute: 10,
  /** Valid webhooks of one address per second, after an initial burst. */
  webhooksPerSecond: 10,
  webhooksBurst: 60,
  /** Webhooks of one address whose bodies are read concurrently. Others wait. */
  webhooksAtOnce: 8,
  /** Webhooks of one address that may wait. */
  webhooksWaiting: 64,
  /** A body that takes longer is dropped if others wait. */
  webhookReadTime: 1_000,
  /** Size of an e-mail on the server. */
  emailSize: 32 * MiB,
  /** How long the unit remembers a server's maximum message size. */
  emailSizeKept: 60 * 60_000,
  /** Poll interval of a mailbox whose server does not announce new mail. */
  emailPoll: 60_000,
  /** Consecutive e-mails of one conversation that are answered although each arrived within this time, too fast for a person. */
  emailLoop: 5,
  emailMachineTime: 30_000,
  /** The same for e-mails that all begin with the same text. */
  emailRepeatTime: 60 * 60_000,

  /** Data that a channel stores with a card. */
  cardReference: 32 * KiB,
  /** Characters of the label of a requester or decider. */
  requester: 128,
  /** UTF-16 units of each text of a card, and the number of last decisions that it shows. */
  cardText: 1_000,
  cardDecisions: 8,
  /** UTF-16 units of a reason entered in a card. */
  cardReason: 1_000,
  /** Approvers who get a direct copy of a card if the address is not a shared channel. */
  cardPeople: 32,
  /** Cards that are processed concurrently. */
  cardLanes: 16,
  /** Poll interval for cards without events. */
  cardPoll: 60_000,
  /** Minimum hex digits of the digest in a decision from a channel. */
  cardDigest: 16,
} as const
