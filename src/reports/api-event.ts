/** The schemas of events in the API. They are separate from the records in domain/event.ts, so that worker threads need not load them. */
import Type, { type Static } from 'typebox'

const common = {
  id: Type.Integer({ description: 'Unique event identifier, below 2^53.' }),
  page_path: Type.String({ description: 'Page on which the event occurred, without query and fragment.' }),
  country: Type.String({ description: 'ISO 3166-1 country code; ZZ when unknown.' }),
  created_at: Type.String({ format: 'date-time', description: 'ISO 8601 in UTC, with milliseconds.' }),
}

export const BotEvent = Type.Object(
  {
    id: common.id,
    type: Type.Literal('bot'),
    bot_name: Type.String({ description: 'Name of the bot.' }),
    bot_company: Type.String({ description: 'Company operating the bot.' }),
    page_path: common.page_path,
    country: common.country,
    created_at: common.created_at,
  },
  { title: 'BotEvent' },
)

export const ReferralEvent = Type.Object(
  {
    id: common.id,
    type: Type.Literal('referral'),
    source: Type.String({ description: 'The assistant that sent the click.' }),
    page_path: common.page_path,
    country: common.country,
    created_at: common.created_at,
  },
  { title: 'ReferralEvent' },
)

export const ConversionEvent = Type.Object(
  {
    id: common.id,
    type: Type.Literal('conversion'),
    event_name: Type.String({ description: 'Name of the conversion event.' }),
    event_value: Type.Union([Type.Number(), Type.Null()], {
      description: 'Monetary value; null when not set.',
    }),
    page_path: common.page_path,
    country: common.country,
    created_at: common.created_at,
  },
  { title: 'ConversionEvent' },
)

export const ApiEvent = Type.Union([BotEvent, ReferralEvent, ConversionEvent], { title: 'Event' })
export type ApiEvent = Static<typeof ApiEvent>
