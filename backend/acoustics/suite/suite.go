// Package suite plays rooms to Echo's ears: the real capture with its canceller, gate and detector, in a simulated room with Echo's
// voice, its user, noise and what else sounds, and with the ducking between them. What it measures stands in docs/acoustics.md;
// everything is in its tests, which want the engines and a build with sound. It is not part of the app.
package suite
