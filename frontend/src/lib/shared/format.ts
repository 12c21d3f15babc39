import type { Timestamp } from '../backend/contract';

const time = new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit', second: '2-digit', hourCycle: 'h23' });
const shortTime = new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' });
const day = new Intl.DateTimeFormat('en-GB', { weekday: 'long', day: 'numeric', month: 'long' });
const shortDay = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short' });
const whole = new Intl.NumberFormat('en-GB');

/** 14:22:10, local. */
export const clockTime = (at: Timestamp | number): string => time.format(new Date(at));

/** 14:22, local. */
export const clockMinute = (at: Timestamp | number): string => shortTime.format(new Date(at));

/** 1,208. */
export const count = (n: number): string => whole.format(n);

/** Names a number of things: counted(1, 'tab') is "1 tab". */
export const counted = (n: number, one: string, many = `${one}s`): string => `${count(n)} ${n === 1 ? one : many}`;

/** The local day a moment falls on, as a key to group by. */
export const dayKey = (at: Timestamp | number): string => new Date(at).toDateString();

/** "Today, Tuesday 1 December", "Yesterday", or the day with its date. */
export function dayName(at: Timestamp | number, now: number = Date.now()): string {
  const key = dayKey(at);
  const yesterday = new Date(now);
  yesterday.setDate(yesterday.getDate() - 1);
  const name = day.format(new Date(at)).replace(',', '');
  if (key === dayKey(now)) return `Today, ${name}`;
  if (key === dayKey(yesterday.getTime())) return 'Yesterday';
  return name;
}

/** The time of today, with the date before it on other days. */
export function moment(at: Timestamp, now: number = Date.now()): string {
  return dayKey(at) === dayKey(now) ? clockTime(at) : `${shortDay.format(new Date(at))}, ${clockTime(at)}`;
}

/** 0:18, 24:30, 1:02:03. */
export function duration(ms: number): string {
  const seconds = Math.max(0, Math.round(ms / 1000));
  const [h, m, s] = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60, seconds % 60];
  const two = (n: number) => String(n).padStart(2, '0');
  return h > 0 ? `${h}:${two(m)}:${two(s)}` : `${m}:${two(s)}`;
}

/** How long a call took: 96 ms, 4.2 s, 0:44. */
export function took(ms: number): string {
  if (ms < 1000) return `${ms} ms`;
  return ms < 10_000 ? `${(ms / 1000).toFixed(1)} s` : duration(ms);
}

/** The time of a call within its run: +23:46.0. */
export function offset(ms: number): string {
  const tenths = Math.max(0, Math.round(ms / 100));
  return `+${duration(Math.floor(tenths / 10) * 1000)}.${tenths % 10}`;
}

/** 64 KiB, 1.2 MiB. */
export function size(bytes: number): string {
  if (bytes < 1024) return `${bytes} bytes`;
  if (bytes < 1024 * 1024) return `${Math.round(bytes / 1024)} KiB`;
  return `${(bytes / 1024 / 1024).toFixed(1)} MiB`;
}
