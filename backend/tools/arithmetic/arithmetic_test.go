package arithmetic_test

import (
	"math/big"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"echo-companion/backend/tools/arithmetic"
)

func TestEvaluate(t *testing.T) {
	for expression, want := range map[string]string{
		"6*7":                     "42",
		"(1+2)*3 - 4/2":           "7",
		"2.5*4":                   "10",
		"-3+10":                   "7",
		"0.1+0.2":                 "0.3",
		"1.1*1.1":                 "1.21",
		"15/100*80":               "12",
		"2+3*4":                   "14",
		"10-4-3":                  "3",
		"100/10/5":                "2",
		"2^3^2":                   "512",
		"-2^2":                    "-4",
		"(-2)^2":                  "4",
		"2^-2":                    "0.25",
		"2**10":                   "1024",
		"1/3":                     "0.333333333333333",
		"2/3":                     "0.666666666666667",
		"1/3*3":                   "1",
		"10/4":                    "2.5",
		"7 % 3":                   "1",
		"-7 % 3":                  "2",
		"10 % -3":                 "-2",
		"5.5 mod 2":               "1.5",
		"15% * 80":                "12",
		"15% of 80":               "12",
		"80*15%":                  "12",
		"80 + 15%":                "92",
		"80 - 25%":                "60",
		"200 + 15% - 5":           "225",
		"50%":                     "0.5",
		"(10+5)%":                 "0.15",
		"sqrt(16)":                "4",
		"sqrt 16":                 "4",
		"√2":                      "1.4142135623731",
		"sqrt(2)^2":               "2",
		"sqrt(2)*sqrt(2)-2":       "0",
		"sqrt(0.25)":              "0.5",
		"27^(1/3)":                "3",
		"2^0.5":                   "1.4142135623731",
		"cbrt(27)":                "3",
		"abs(-3.5)":               "3.5",
		"round(2.5)":              "3",
		"round(-2.5)":             "-3",
		"floor(-1.2)":             "-2",
		"ceil(1.2)":               "2",
		"log(1000)":               "3",
		"ln(e)":                   "1",
		"exp(0)":                  "1",
		"2*pi":                    "6.28318530717959",
		"5!":                      "120",
		"0!":                      "1",
		"1,234,567 + 1":           "1234568",
		"1_000*2":                 "2000",
		"3 × 4 ÷ 2":               "6",
		"3 x 4":                   "12",
		"5 − 7":                   "-2",
		"5²":                      "25",
		"2e3 + 1":                 "2001",
		".5+.5":                   "1",
		"5.":                      "5",
		"6*7 =":                   "42",
		"6*7 = ?":                 "42",
		"--5":                     "5",
		"0^0":                     "1",
		"1^100000000000000000000": "1",
		"(-1)^100000000000000001": "-1",
		"0^5":                     "0",
		"2^64":                    "18446744073709551616",
		"99999999999999999999*10": "999999999999999999990",
		"1e30/7":                  "1.42857142857143e+29",
		"1/7e10":                  "1.42857142857143e-11",
		"0.000001":                "0.000001",
		"123456.789*1000":         "123456789",
		"8000!/8000!":             "!whole numbers",
		"1/0":                     "!division by zero",
		"5 % 0":                   "!division by zero",
		"0^-1":                    "!division by zero",
		"1/(2-2)":                 "!division by zero",
		"6*":                      "!incomplete",
		"(1+2":                    "!incomplete",
		"sqrt":                    "!incomplete",
		"1+2)":                    "!one too many",
		"()":                      "!one too many",
		"":                        "!no expression",
		"   ":                     "!no expression",
		"hello":                   `!at "hello"`,
		"1 2":                     `!at "2"`,
		"1,5":                     "!a point for decimals",
		"$5":                      "!not understood",
		"2 + apples":              `!at "apples"`,
		"sqrt(-1)":                "!negative",
		"(-8)^0.5":                "!negative",
		"ln(0)":                   "!positive",
		"3.5!":                    "!whole numbers",
		"9^9^9":                   "!too large",
		"1e999999999":             "!too large",
		"1e-999999999":            "!too large",
		"exp(1e10)":               "!too large",
		"os.exit(1)":              "!not understood",
		"__import__('os')":        "!not understood",
		strings.Repeat("1", 1001): "!longer than",
	} {
		t.Run(expression, func(t *testing.T) {
			got, err := arithmetic.Evaluate(expression)
			if problem, isError := strings.CutPrefix(want, "!"); isError {
				require.ErrorContains(t, err, problem, got)
				return
			}
			require.NoError(t, err)
			require.Equal(t, want, got)
		})
	}
	big1000, err := arithmetic.Evaluate("2^1000")
	require.NoError(t, err)
	require.Equal(t, new(big.Int).Lsh(big.NewInt(1), 1000).String(), big1000)
	deep := strings.Repeat("(", 400) + "1" + strings.Repeat(")", 400)
	one, err := arithmetic.Evaluate(deep)
	require.NoError(t, err)
	require.Equal(t, "1", one)
}

// FuzzEvaluate: whatever is written, the answer is a number or an error, in time.
func FuzzEvaluate(f *testing.F) {
	for _, seed := range []string{"1+2", "9^9%", "√(-2)!", "((((", "1e5000*1e5000", "2^0.3333^7", "1%-1", "exp(ln(3))‰", "5!!"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, expression string) {
		began := time.Now()
		got, err := arithmetic.Evaluate(expression)
		require.Less(t, time.Since(began), 5*time.Second)
		if err != nil {
			require.NotEmpty(t, err.Error())
			return
		}
		_, err = strconv.ParseFloat(got, 64)
		if err != nil {
			require.ErrorIs(t, err, strconv.ErrRange)
		}
	})
}
