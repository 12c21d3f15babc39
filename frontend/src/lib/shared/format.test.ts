import { expect, it } from 'vitest';
import { clockTime, counted, dayName, duration, moment, offset, size, took } from './format';

const at = (h: number, m: number, s: number, day = 1) => new Date(2026, 11, day, h, m, s).getTime();
const iso = (ms: number) => new Date(ms).toISOString();

it('writes times of the day in full', () => {
  expect(clockTime(at(9, 5, 7))).toBe('09:05:07');
  expect(clockTime(at(0, 0, 0))).toBe('00:00:00');
});

it('gives the date only where the day is not today', () => {
  const now = at(14, 0, 0, 3);
  expect(moment(iso(at(13, 31, 7, 3)), now)).toBe('13:31:07');
  expect(moment(iso(at(13, 31, 7, 1)), now)).toBe('1 Dec, 13:31:07');
});

it('names days', () => {
  const now = at(14, 0, 0, 3);
  expect(dayName(at(1, 0, 0, 3), now)).toBe('Today, Thursday 3 December');
  expect(dayName(at(23, 59, 59, 2), now)).toBe('Yesterday');
  expect(dayName(at(1, 0, 0, 1), now)).toBe('Tuesday 1 December');
});

it.each([
  [0, '0:00'], [18_000, '0:18'], [1_470_000, '24:30'], [3_723_000, '1:02:03'], [-5, '0:00'],
])('lasts %d ms: %s', (ms, text) => expect(duration(ms)).toBe(text));

it.each([
  [1, '1 ms'], [999, '999 ms'], [1000, '1.0 s'], [9_940, '9.9 s'], [44_000, '0:44'],
])('took %d ms: %s', (ms, text) => expect(took(ms)).toBe(text));

it.each([
  [0, '+0:00.0'], [46_040, '+0:46.0'], [1_426_040, '+23:46.0'], [59_990, '+1:00.0'],
])('is %d ms in: %s', (ms, text) => expect(offset(ms)).toBe(text));

it('counts and measures', () => {
  expect(counted(1, 'tab')).toBe('1 tab');
  expect(counted(1208, 'tab')).toBe('1,208 tabs');
  expect(size(70_000)).toBe('68 KiB');
  expect(size(3_000_000)).toBe('2.9 MiB');
});
